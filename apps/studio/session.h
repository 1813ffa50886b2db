// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "api.h"
#include "background.h"
#include "server.h"

namespace sinew::studio {

// One connection: a request after the other, each with limits on its size and its time.
class Session {
 public:
  // `ended` is called when it goes. It lives as long as something of it is under way, no caller need hold it.
  static std::shared_ptr<Session> make(boost::asio::ip::tcp::socket socket, Api& api, Background& background,
                                       const ServerLimits& limits, std::function<void(Session*)> ended);
  virtual ~Session() = default;

  virtual void start() = 0;

  // Nothing is lost where it is closed: it waits for a request of which nothing has come yet, or has said its
  // last word.
  virtual bool idle() const = 0;
  // A request of it came with the token. Anybody on this computer can open a connection.
  virtual bool known() const = 0;
  virtual void close() = 0;
  // Instead of start(): answers that there are too many connections, and closes.
  virtual void turn_away() = 0;
};

}  // namespace sinew::studio

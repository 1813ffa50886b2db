// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "file_store.h"
#include "page.h"

namespace sinew::studio {

// What a client may use. Times are those of one request on one connection.
struct ServerLimits {
  std::size_t connections = 64;
  std::uint32_t header_bytes = 16 << 10;
  std::chrono::milliseconds between{60'000};  // until the next request begins
  std::chrono::milliseconds header{10'000};   // from its first byte to the end of its head
  std::chrono::milliseconds pause{15'000};    // between two pieces of a body, either way
  std::chrono::milliseconds body{300'000};    // for all of it
  std::chrono::milliseconds goodbye{2'000};   // for what a client that was refused still sends
  FileStore::Limits files = {};
};

struct ServerOptions {
  std::uint16_t port = 0;  // 0: any that is free
  Page page = Page::missing();
  std::string file_name, file_bytes;  // the file that the page opens first; an empty name: none
  bool signals = true;                // end at SIGINT and SIGTERM
  ServerLimits limits = {};
};

// A web server for this computer alone: 127.0.0.1, with a token that only its address tells.
class Server {
 public:
  // Listens from here on. kIo: the port is taken or may not be used. kLimit: a file that is too large.
  static Result<std::unique_ptr<Server>> open(ServerOptions options);
  virtual ~Server() = default;

  // http://127.0.0.1:PORT/?token=...
  virtual std::string address() const = 0;
  // Answers until stop() or a signal, then closes all connections and cancels the job. False: the job did not
  // stop in half a second and still runs; the process can only end with _exit.
  virtual bool run() = 0;
  // From any thread.
  virtual void stop() = 0;
};

}  // namespace sinew::studio

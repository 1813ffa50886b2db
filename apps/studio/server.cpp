// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <list>
#include <thread>

#include "guard.h"
#include "session.h"
#include "sinew/core/text.h"

namespace sinew::studio {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Code = boost::system::error_code;

constexpr std::chrono::milliseconds kPatience{500};     // with a job that is told to stop
constexpr std::chrono::milliseconds kBeforeRetry{100};  // when no connection can be taken (no descriptors)

// Counts handlers that are there, also when one is thrown away without being called.
class Armed {
 public:
  explicit Armed(int& count) : count_(&count) { ++count; }
  Armed(const Armed& other) : Armed(*other.count_) {}
  Armed& operator=(const Armed&) = delete;
  ~Armed() { --*count_; }

 private:
  int* count_;
};

class LocalServer final : public Server {
 public:
  explicit LocalServer(const ServerLimits& limits)
      : limits_(limits),
        token_(random_id()),
        files_(limits_.files),
        jobs_(files_),
        acceptor_(context_),
        retry_(context_),
        signals_(context_) {}

  Result<void> listen(ServerOptions options) {
    SINEW_CHECK(bind_to(options.port));
    std::string file;
    if (!options.file_name.empty()) {
      SINEW_TRY(const StoredFile kept, files_.add(options.file_name, std::move(options.file_bytes), true));
      file = kept.id;
    }
    api_ = std::make_unique<Api>(Guard(port(), token_), std::move(options.page), files_, jobs_, file);
    if (options.signals) {
      signals_.add(SIGINT);
      signals_.add(SIGTERM);
      signals_.async_wait([this](Code error, int) {
        if (!error) end();
      });
    }
    accept();
    return {};
  }

  std::string address() const override {
    return "http://127.0.0.1:" + std::to_string(port()) + "/?token=" + token_;
  }

  bool run() override {
    while (!ended_) {
      try {
        if (accepting_ == 0) accept();
        context_.run();
        context_.restart();
      } catch (const std::exception&) {
        // Memory ran out in one request: its connection is gone, the others go on.
        if (accepting_ == 0) std::this_thread::sleep_for(kBeforeRetry);
      }
    }
    const bool idle = background_.stop(kPatience);
    return jobs_.stop(kPatience) && idle;
  }

  void stop() override {
    asio::post(context_, [this] { end(); });
  }

 private:
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  Result<void> bind_to(std::uint16_t port) {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
    Code error;
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return {};
    if (error == asio::error::address_in_use)
      return io_error(
          "port " + std::to_string(port) +
          " is taken by another program; choose another one with --port, or leave the choice to the system");
    return io_error("cannot listen on port " + std::to_string(port) + ": " + error.message());
  }

  void accept() {
    acceptor_.async_accept([this, armed = Armed(accepting_)](Code error, tcp::socket socket) {
      if (ended_) return;
      if (error) return accept_later();
      accept();  // first: whatever becomes of this connection, the next one comes in
      welcome(std::move(socket));
    });
  }

  void accept_later() {
    retry_.expires_after(kBeforeRetry);
    retry_.async_wait([this, armed = Armed(accepting_)](Code) {
      if (!ended_) accept();
    });
  }

  void welcome(tcp::socket socket) {
    Code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    bool room = true;
    while (room && sessions_.size() >= limits_.connections) room = make_place();
    auto session = Session::make(std::move(socket), *api_, background_, limits_,
                                 [this](Session* gone) { sessions_.remove(gone); });
    sessions_.push_back(session.get());
    if (room)
      session->start();
    else
      session->turn_away();
  }

  // First those go that have not shown the token: whatever they are doing, they must not keep the owner out.
  // Of the others only one that waits for a request. The one that came first makes place.
  bool make_place() {
    const auto close_first = [this](auto&& may_go) {
      const auto first = std::find_if(sessions_.begin(), sessions_.end(), may_go);
      if (first == sessions_.end()) return false;
      Session* session = *first;
      sessions_.erase(first);  // it may take a while to go, and counts no more
      session->close();
      return true;
    };
    return close_first([](Session* s) { return !s->known() && s->idle(); }) ||
           close_first([](Session* s) { return !s->known(); }) ||
           close_first([](Session* s) { return s->idle(); });
  }

  void end() {
    ended_ = true;
    Code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
    signals_.cancel(ignored);
    const std::list<Session*> open = sessions_;
    for (Session* session : open) session->close();
    context_.stop();
  }

  // Connections use all of these, and go with the context: it comes last but for what runs on it.
  const ServerLimits limits_;
  const std::string token_;
  FileStore files_;
  Jobs jobs_;
  std::unique_ptr<Api> api_;
  std::list<Session*> sessions_;
  int accepting_ = 0;  // handlers that wait for the next connection, or for the time to do so
  bool ended_ = false;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  asio::signal_set signals_;
  Background background_;  // ends before all that it uses
};

}  // namespace

Result<std::unique_ptr<Server>> Server::open(ServerOptions options) {
  auto server = std::make_unique<LocalServer>(options.limits);
  SINEW_CHECK(server->listen(std::move(options)));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace sinew::studio

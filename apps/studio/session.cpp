// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/optional/optional.hpp>
#include <limits>
#include <new>
#include <thread>

namespace sinew::studio {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Code = boost::system::error_code;

constexpr std::size_t kBuffer = 128 << 10;
constexpr std::chrono::milliseconds kBeforeAnotherTry{100};
constexpr std::size_t kMostGoodbye = 64 << 20;  // bytes that are read only to be thrown away

// Nothing from elsewhere runs in the page, nobody else shows it in a frame, no cache keeps what it was sent;
// and the page is isolated, which WebAssembly threads need.
void add_policy(http::fields& fields) {
  fields.set("Content-Security-Policy",
             "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
             "img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'");
  fields.set("Cross-Origin-Opener-Policy", "same-origin");
  fields.set("Cross-Origin-Embedder-Policy", "require-corp");
  fields.set("Cross-Origin-Resource-Policy", "same-origin");
  fields.set("X-Content-Type-Options", "nosniff");
  fields.set("Referrer-Policy", "no-referrer");
  fields.set(http::field::cache_control, "no-store");
}

std::vector<std::string> all_of(const http::fields& fields, http::field name) {
  std::vector<std::string> values;
  const auto range = fields.equal_range(name);
  for (auto field = range.first; field != range.second; ++field) values.emplace_back(field->value());
  return values;
}

Answer no_memory() {
  return refusal(507, ErrorCode::kLimit,
                 "not enough memory for this; close files or other programs, or try a smaller file");
}

class Connection final : public Session, public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Api& api, Background& background, const ServerLimits& limits,
             std::function<void(Session*)> ended)
      : stream_(std::move(socket)),
        api_(api),
        background_(background),
        limits_(limits),
        ended_(std::move(ended)) {}
  ~Connection() override { ended_(this); }

  bool idle() const override { return idle_; }
  bool known() const override { return known_; }
  void close() override {
    idle_ = false;
    stream_.close();
  }
  void turn_away() override {
    respond(refusal(503, ErrorCode::kLimit, "too many connections are open; close some"), false);
  }

  void start() override { wait(); }

 private:
  using Parser = http::request_parser<http::string_body>;
  using Response = http::response<http::span_body<const char>>;

  void wait();
  void read_head();
  void on_head(Code error);
  void go_on();
  void read_body();
  void answer();
  Answer make_answer();
  void out_of_memory();
  void respond(Answer answer, bool keep);
  void send();
  void on_sent();
  void say_goodbye();
  void refuse_broken(Code error);
  // Bodies may pause for a while, and take a while in all.
  void set_pause() { stream_.expires_at(std::min(Clock::now() + limits_.pause, deadline_)); }
  template <class Next>
  auto then(Next next) {
    return [self = shared_from_this(), next](Code error, std::size_t size) {
      try {
        next(*self, error, size);
      } catch (const std::bad_alloc&) {
        self->out_of_memory();
      }
    };
  }

  beast::tcp_stream stream_;
  Api& api_;
  Background& background_;
  const ServerLimits& limits_;
  std::function<void(Session*)> ended_;
  beast::flat_buffer buffer_{kBuffer};
  boost::optional<Parser> parser_;
  Head head_;
  FileStore::Room room_;
  Answer answer_;
  boost::optional<Response> response_;
  boost::optional<http::response_serializer<http::span_body<const char>>> serializer_;
  Clock::time_point deadline_;
  std::size_t thrown_away_ = 0;
  bool idle_ = false, known_ = false, head_only_ = false;
};

void Connection::wait() {
  serializer_.reset();
  response_.reset();
  answer_ = {};
  parser_.emplace();
  parser_->header_limit(limits_.header_bytes);
  parser_->body_limit(
      std::numeric_limits<std::uint64_t>::max());  // the api decides, once it has seen the head
  if (buffer_.size() > 0) return read_head();
  idle_ = true;
  stream_.expires_after(limits_.between);
  stream_.async_read_some(buffer_.prepare(4096), then([](Connection& self, Code error, std::size_t size) {
                            self.idle_ = false;
                            if (error) return;  // gone, or silent for too long
                            self.buffer_.commit(size);
                            self.read_head();
                          }));
}

void Connection::read_head() {
  stream_.expires_after(limits_.header);
  http::async_read_header(stream_, buffer_, *parser_,
                          then([](Connection& self, Code error, std::size_t) { self.on_head(error); }));
}

void Connection::on_head(Code error) {
  if (error) return refuse_broken(error);
  const auto& request = parser_->get();
  head_ = {};
  head_.method = std::string(request.method_string());
  head_.target = std::string(request.target());
  head_.hosts = all_of(request, http::field::host);
  head_.origins = all_of(request, http::field::origin);
  head_.token = std::string(request["X-Sinew-Token"]);
  head_.chunked = parser_->chunked();
  if (const auto length = parser_->content_length()) head_.length = *length;
  head_only_ = request.method() == http::verb::head;
  Admission admission = api_.admit(head_);
  known_ = known_ || admission.known;
  if (admission.refusal) {
    // What follows of a body nobody wants could look like another request.
    const bool clean = !head_.chunked && head_.length.value_or(0) == 0;
    return respond(*std::move(admission.refusal), clean && request.keep_alive());
  }
  room_ = std::move(admission.room);
  parser_->body_limit(head_.length.value_or(0));
  parser_->get().body().reserve(
      head_.length.value_or(0));  // here it can be answered where there is no memory
  deadline_ = Clock::now() + limits_.body;
  if (beast::iequals(request[http::field::expect], "100-continue")) return go_on();
  read_body();
}

void Connection::go_on() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  set_pause();
  asio::async_write(stream_, asio::buffer(kContinue), then([](Connection& self, Code error, std::size_t) {
                      if (!error) self.read_body();
                    }));
}

void Connection::read_body() {
  if (parser_->is_done()) return answer();
  set_pause();
  http::async_read_some(stream_, buffer_, *parser_, then([](Connection& self, Code error, std::size_t) {
                          if (error) return self.refuse_broken(error);
                          self.read_body();
                        }));
}

// While the other thread works nothing else is under way here, and nobody else looks at what it uses. It
// holds the connection by way of a holder that is empty in the end: a connection goes on its own thread
// alone.
void Connection::answer() {
  if (!Api::is_slow(head_)) return respond(make_answer(), parser_->get().keep_alive());
  const auto holder = std::make_shared<std::shared_ptr<Connection>>(shared_from_this());
  background_.add([holder] {
    Connection& self = **holder;
    self.answer_ = self.make_answer();
    const auto executor = self.stream_.get_executor();
    const auto go_back = [holder] {
      const std::shared_ptr<Connection> here = std::move(*holder);
      here->then([](Connection& one, Code, std::size_t) {
        one.respond(std::move(one.answer_), one.parser_->get().keep_alive());
      })({}, 0);
    };
    for (;;) {
      try {
        return asio::post(executor, go_back);
      } catch (const std::bad_alloc&) {
        std::this_thread::sleep_for(kBeforeAnotherTry);
      }
    }
  });
}

Answer Connection::make_answer() {
  try {
    return api_.answer(head_, std::move(parser_->get().body()), std::move(room_));
  } catch (const std::bad_alloc&) {
    return no_memory();
  }
}

// Also where nothing of the answer has been sent yet; else the connection goes.
void Connection::out_of_memory() {
  try {
    if (response_) return close();
    parser_.emplace();
    respond(no_memory(), false);
  } catch (const std::bad_alloc&) {
    close();
  }
}

void Connection::refuse_broken(Code error) {
  room_.reset();
  // Not a fault of what was sent: the other side is gone, or too slow, and the stream is closed.
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != make_error_code(http::error::end_of_stream).category())
    return;
  const bool large = error == http::error::header_limit || error == http::error::buffer_overflow;
  respond(refusal(large ? 431 : 400, ErrorCode::kUsage,
                  large ? "the head of this request is too large" : "this is not a request of HTTP/1.1"),
          false);
}

void Connection::respond(Answer answer, bool keep) {
  answer_ = std::move(answer);
  room_.reset();
  response_.emplace(static_cast<http::status>(answer_.status), 11);
  Response& response = *response_;
  add_policy(response);
  response.set(http::field::content_type, answer_.type);
  if (!answer_.allow.empty()) response.set(http::field::allow, answer_.allow);
  if (answer_.body) response.body() = {answer_.body->data(), answer_.body->size()};
  response.keep_alive(keep);
  response.prepare_payload();
  serializer_.emplace(response);
  deadline_ = Clock::now() + limits_.body;
  send();
}

void Connection::send() {
  if (serializer_->is_done() || (head_only_ && serializer_->is_header_done())) return on_sent();
  set_pause();
  const auto next = then([](Connection& self, Code error, std::size_t) {
    if (!error) self.send();
  });
  if (head_only_)
    http::async_write_header(stream_, *serializer_, next);
  else
    http::async_write_some(stream_, *serializer_, next);
}

void Connection::on_sent() {
  head_only_ = false;
  if (response_->keep_alive()) return wait();
  Code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(limits_.goodbye);
  idle_ = true;
  say_goodbye();
}

// Closing while bytes are still coming in would reset the connection, and the client might lose the answer.
void Connection::say_goodbye() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kBuffer / 2),
                          then([](Connection& self, Code error, std::size_t size) {
                            self.thrown_away_ += size;
                            if (error || self.thrown_away_ > kMostGoodbye) return self.close();
                            self.say_goodbye();
                          }));
}

}  // namespace

std::shared_ptr<Session> Session::make(tcp::socket socket, Api& api, Background& background,
                                       const ServerLimits& limits, std::function<void(Session*)> ended) {
  return std::make_shared<Connection>(std::move(socket), api, background, limits, std::move(ended));
}

}  // namespace sinew::studio

// SPDX-License-Identifier: Apache-2.0
// The limits on time and connections, with times so short that a test can wait for them.
#include "studio/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <thread>

#include "support/sanitized.h"

namespace {

// The how many-th allocation from now on fails, of the server's thread alone; 0: none.
std::atomic<int> failing_allocation{0};
std::atomic<std::size_t> failing_size{~std::size_t{0}};  // and all of at least so many bytes
thread_local bool may_fail = false;

void* allocate(std::size_t size) {
  if (may_fail && failing_allocation > 0 && --failing_allocation == 0) throw std::bad_alloc();
  if (may_fail && size >= failing_size) throw std::bad_alloc();
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

__attribute__((noinline)) void* operator new(std::size_t size) {
  return allocate(size);
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size > 0 ? size : 1);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace sinew::studio {
namespace {

using namespace std::chrono_literals;

class Client {
 public:
  explicit Client(int port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(port));
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<sockaddr*>(&there), sizeof there), 0);
    timeval forever{60, 0};  // a test that waits so long has failed
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(descriptor_); }

  void send(const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t more = ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (more <= 0) return;
      sent += static_cast<std::size_t>(more);
    }
  }
  // Until a text has come; all that came.
  std::string read_until(const std::string& end) {
    std::string text;
    for (char letter = 0; !text.ends_with(end) && ::recv(descriptor_, &letter, 1, 0) == 1;) text += letter;
    return text;
  }
  // Until the server closes; "TIMEOUT" at the end where it never does.
  std::string read_all() {
    std::string text;
    char piece[4096];
    for (;;) {
      const ssize_t got = ::recv(descriptor_, piece, sizeof piece, 0);
      if (got == 0 || (got < 0 && errno == ECONNRESET)) return text;
      if (got < 0) return text + "TIMEOUT";
      text.append(piece, static_cast<std::size_t>(got));
    }
  }

 private:
  int descriptor_;
};

class ServerTest : public testing::Test {
 protected:
  void start(ServerLimits limits, Page page = Page::missing()) {
    ServerOptions options;
    options.limits = limits;
    options.page = std::move(page);
    options.signals = false;
    options.file_name = "body.obj";
    options.file_bytes = std::string(64 << 20, 'x');
    auto opened = Server::open(std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    server_ = *std::move(opened);
    const std::string address = server_->address();
    port_ = std::stoi(address.substr(address.find(':', 7) + 1));
    token_ = address.substr(address.find('=') + 1);
    thread_ = std::thread([this] {
      may_fail = true;
      EXPECT_TRUE(server_->run());
    });
  }
  void TearDown() override {
    if (!server_) return;
    server_->stop();
    thread_.join();
  }
  std::string request(const std::string& first, const std::string& more = "") const {
    return first + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\nX-Sinew-Token: " + token_ +
           "\r\n" + more + "\r\n";
  }
  std::string ask(const std::string& first) const {
    Client client(port_);
    client.send(request(first, "Connection: close\r\n"));
    return client.read_all();
  }
  static ServerLimits quick() {
    ServerLimits limits;
    limits.between = limits.header = limits.pause = 500ms;
    limits.body = 1500ms;
    return limits;
  }
  // A client in the middle of an upload of "v 0 0 0\n", with the server waiting for the second half.
  std::unique_ptr<Client> begin_upload() const {
    auto client = std::make_unique<Client>(port_);
    client->send(request("POST /api/files?name=a.obj",
                         "Content-Length: 8\r\nExpect: 100-continue\r\nConnection: close\r\n"));
    EXPECT_EQ(client->read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client->send("v 0 ");
    return client;
  }

  std::unique_ptr<Server> server_;
  std::thread thread_;
  int port_ = 0;
  std::string token_;
};

TEST_F(ServerTest, AnswersAndEndsWhenItIsToldTo) {
  start({});
  EXPECT_TRUE(ask("GET /").starts_with("HTTP/1.1 200 OK\r\n"));
  Client waiting(port_);
  waiting.send("GET / HTTP/1.1\r\n");
  server_->stop();
  EXPECT_EQ(waiting.read_all(), "");
}

TEST_F(ServerTest, SilentAndSlowClientsAreLetGo) {
  start(quick());
  Client silent(port_), half(port_), pausing(port_);
  half.send("GET / HTTP/1.1\r\nHost: ");
  pausing.send(request("POST /api/files?name=a.obj", "Content-Length: 1000\r\n") + "v 0 0 0\n");
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_EQ(half.read_all(), "");
  EXPECT_EQ(pausing.read_all(), "");
  Client between(port_);
  between.send(request("GET /api/rig"));
  EXPECT_TRUE(between.read_all().starts_with("HTTP/1.1 200 OK\r\n"));  // and no TIMEOUT behind it
}

TEST_F(ServerTest, ClientsThatDripAreLetGo) {
  start(quick());
  Client head(port_), body(port_);
  body.send(request("POST /api/files?name=a.obj", "Content-Length: 100000\r\n"));
  std::atomic<bool> over{false};
  std::thread dripping([&] {
    head.send("GET / HTTP/1.1\r\n");
    while (!over) {  // never silent for long, and never done
      head.send("A: b\r\n");
      body.send("x");
      std::this_thread::sleep_for(20ms);
    }
  });
  EXPECT_EQ(head.read_all(), "");
  EXPECT_EQ(body.read_all(), "");
  over = true;
  dripping.join();
}

TEST_F(ServerTest, AClientThatDoesNotReadIsLetGo) {
  ServerLimits limits = quick();
  limits.connections = 1;
  start(limits);
  Client greedy(port_);
  greedy.send(request("GET /api/rig"));
  const std::string rig = greedy.read_until("}");
  greedy.send(request("GET /api/files/" + rig.substr(rig.find("\"id\":\"") + 6, 32)));
  EXPECT_TRUE(greedy.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  int refused = 0;  // while the one place is taken
  while (ask("GET /").starts_with("HTTP/1.1 503 ")) ++refused;
  EXPECT_GT(refused, 0);
  const std::string got = greedy.read_all();  // what the system had buffered, and then the end
  EXPECT_LT(got.size(), std::size_t{64} << 20);
  EXPECT_FALSE(got.ends_with("TIMEOUT"));
}

TEST_F(ServerTest, IdleConnectionsMakePlaceAndBusyOnesOfTheOwnerDoNot) {
  ServerLimits limits;
  limits.connections = 4;
  start(limits);
  std::vector<std::unique_ptr<Client>> idle, busy;
  for (int k = 0; k < 10; ++k) idle.push_back(std::make_unique<Client>(port_));
  EXPECT_TRUE(ask("GET /").starts_with("HTTP/1.1 200 "));
  for (int k = 0; k < 4; ++k) {
    busy.push_back(begin_upload());
  }
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(ask("GET /").starts_with("HTTP/1.1 503 ")) << k;
  for (const auto& client : busy) client->send("0 0\n");
  for (const auto& client : busy) EXPECT_TRUE(client->read_all().starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(ask("GET /").starts_with("HTTP/1.1 200 "));
}

// Half a request needs no token. Neither does the page, which some may read slowly or not at all.
TEST_F(ServerTest, ConnectionsWithoutATokenDoNotKeepTheOwnerOut) {
  ServerLimits limits;
  limits.connections = 8;
  limits.header = 24h;  // nobody goes of their own accord
  start(limits);
  const auto owner = begin_upload();
  std::vector<std::unique_ptr<Client>> strangers;
  for (int k = 0; k < 40; ++k) {
    strangers.push_back(std::make_unique<Client>(port_));
    strangers.back()->send("GET / HT");
  }
  for (int k = 0; k < 20; ++k) EXPECT_TRUE(ask("GET /api/rig").starts_with("HTTP/1.1 200 ")) << k;
  owner->send("0 0\n");
  EXPECT_TRUE(owner->read_all().starts_with("HTTP/1.1 200 ")) << "what the owner had begun";
}

// The server is in the middle of an answer to each of them, and would be for ever.
TEST_F(ServerTest, StrangersThatDoNotReadThePageMakePlaceForTheOwner) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sinew_server_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "index.html") << std::string(32 << 20, 'x');  // more than the system buffers
  auto page = Page::load(folder);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(page.ok()) << page.error().message;
  ServerLimits limits;
  limits.connections = 4;
  limits.pause = limits.body = 24h;
  start(limits, *std::move(page));
  std::vector<std::unique_ptr<Client>> strangers;
  for (int k = 0; k < 4; ++k) {
    strangers.push_back(std::make_unique<Client>(port_));
    strangers.back()->send("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n");
    EXPECT_TRUE(strangers.back()->read_until("\r\n\r\n").starts_with("HTTP/1.1 200 ")) << k;
  }
  for (int k = 0; k < 8; ++k) EXPECT_TRUE(ask("GET /api/rig").starts_with("HTTP/1.1 200 ")) << k;
}

TEST_F(ServerTest, AFileThatTakesLongToCheckKeepsNobodyWaiting) {
  start({});
  constexpr std::size_t kSize = 100 << 20;
  const std::string begin = R"({"asset":{"version":"2.0"},"extras":")", end = R"("})";
  const std::string body = begin + std::string(kSize, 'x') + end;
  std::string answer;
  std::atomic<bool> sent{false}, done{false};
  std::thread uploading([&] {
    Client client(port_);
    client.send(request("POST /api/files?name=a.gltf",
                        "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n") +
                body);
    sent = true;
    answer = client.read_all();
    done = true;
  });
  int meanwhile = 0;  // requests that began and ended while the file was checked
  while (!done) {
    const bool checking = sent;
    EXPECT_TRUE(ask("GET /api/rig").starts_with("HTTP/1.1 200 "));
    if (checking && !done) ++meanwhile;
  }
  uploading.join();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer.substr(0, 300);
  // One, or two, where the check keeps the others waiting: before it begins.
  EXPECT_GT(meanwhile, 4);
}

// Whatever fails while a connection comes in and asks, the next one is answered.
TEST_F(ServerTest, ItAnswersAgainAfterMemoryHasRunOut) {
  start({});
  for (int k = 1; k <= 60; ++k) {
    failing_allocation = k;
    {
      Client client(port_);
      client.send(request("GET /", "Connection: close\r\n"));
      client.read_all();
    }
    failing_allocation = 0;
    ASSERT_TRUE(ask("GET /").starts_with("HTTP/1.1 200 ")) << k;
  }
}

TEST_F(ServerTest, AnUploadThatMemoryDoesNotHoldIsAnswered) {
  start({});
  failing_size = 1 << 20;
  for (int k = 0; k < 3; ++k) {
    Client client(port_);
    client.send(request("POST /api/files?name=a.obj", "Content-Length: 1500000\r\nConnection: close\r\n") +
                std::string(1500000, 'x'));
    const std::string answer = client.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 507 ")) << answer;
    EXPECT_NE(answer.find("not enough memory"), std::string::npos);
  }
  failing_size = ~std::size_t{0};
  EXPECT_TRUE(ask("GET /").starts_with("HTTP/1.1 200 "));
}

TEST_F(ServerTest, APortThatIsTakenIsSaidSo) {
  start({});
  ServerOptions second;
  second.port = static_cast<std::uint16_t>(port_);
  const auto opened = Server::open(std::move(second));
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kIo);
  EXPECT_NE(opened.error().message.find("is taken"), std::string::npos);
}

}  // namespace
}  // namespace sinew::studio

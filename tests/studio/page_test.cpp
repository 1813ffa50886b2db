// SPDX-License-Identifier: Apache-2.0
#include "studio/page.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

class PageTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "page" / "assets" / ".hidden"); }
  void TearDown() override { fs::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  fs::path folder_ = fs::temp_directory_path() / ("sinew_page_" + std::to_string(std::random_device()()));
};

TEST_F(PageTest, FilesAreFoundByTheAddressAlone) {
  put("page/index.html", "index");
  put("page/assets/a-1.js", "code");
  put("page/assets/b.WASM", "wasm");
  put("page/assets/unknown.xyz", "?");
  const auto page = Page::load(folder_ / "page");
  ASSERT_TRUE(page.ok()) << page.error().message;
  EXPECT_EQ(*page->find("/")->bytes, "index");
  EXPECT_EQ(*page->find("/index.html")->bytes, "index");
  EXPECT_EQ(page->find("/assets/a-1.js")->type, "text/javascript; charset=utf-8");
  EXPECT_EQ(page->find("/assets/b.WASM")->type, "application/wasm");
  EXPECT_EQ(page->find("/assets/unknown.xyz")->type, "application/octet-stream");
  for (const char* path : {"", "index.html", "/assets", "/assets/", "/assets/../index.html", "//index.html"})
    EXPECT_FALSE(page->find(path)) << path;
}

TEST_F(PageTest, LinksHiddenFilesAndOddNamesAreNotServed) {
  put("page/index.html", "index");
  put("secret.txt", "secret");
  put("page/.htaccess", "x");
  put("page/assets/.hidden/a.js", "x");
  put("page/odd name.js", "x");
  put("page/per%cent.js", "x");
  fs::create_symlink(folder_ / "secret.txt", folder_ / "page" / "link.txt");
  fs::create_directory_symlink(folder_, folder_ / "page" / "up");
  const auto page = Page::load(folder_ / "page");
  ASSERT_TRUE(page.ok()) << page.error().message;
  for (const char* path : {"/link.txt", "/up/secret.txt", "/.htaccess", "/assets/.hidden/a.js",
                           "/odd name.js", "/odd%20name.js", "/per%cent.js"})
    EXPECT_FALSE(page->find(path)) << path;
}

TEST_F(PageTest, AFolderWithoutAPageIsSaidSo) {
  EXPECT_EQ(Page::load(folder_ / "page").error().code, ErrorCode::kIo);
  EXPECT_EQ(Page::load(folder_ / "none").error().code, ErrorCode::kIo);
  ASSERT_TRUE(Page::missing().find("/"));
  EXPECT_NE(Page::missing().find("/")->bytes->find("./dev page"), std::string::npos);
}

}  // namespace
}  // namespace sinew::studio

// SPDX-License-Identifier: Apache-2.0
#include "studio/file_store.h"

#include <gtest/gtest.h>

namespace sinew::studio {
namespace {

FileStore::Limits small() {
  return {.file_bytes = 40, .total_bytes = 100, .files = 4};
}

std::string add(FileStore& store, std::size_t size, bool keep = false) {
  const auto file = store.add("a.obj", std::string(size, 'x'), keep);
  EXPECT_TRUE(file.ok());
  return file.ok() ? file->id : "";
}

TEST(FileStore, FilesComeBackByTheirIdUntilTheyAreRemoved) {
  FileStore store(small());
  const auto file = store.add("body.obj", "bytes");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*store.find(file->id)->bytes, "bytes");
  EXPECT_EQ(store.find(file->id)->name, "body.obj");
  EXPECT_FALSE(store.find("body.obj"));
  EXPECT_FALSE(store.find(""));
  EXPECT_TRUE(store.remove(file->id));
  EXPECT_FALSE(store.remove(file->id));
  EXPECT_FALSE(store.find(file->id));
  EXPECT_EQ(*file->bytes, "bytes");  // who holds it keeps it
}

TEST(FileStore, NamesAreLabelsAndNoPaths) {
  FileStore store(small());
  EXPECT_EQ(store.add("../../etc/passwd", "")->name, "passwd");
  EXPECT_EQ(store.add("C:\\x\\body.obj", "")->name, "body.obj");
  EXPECT_EQ(store.add("a\nb", "")->name, "a?b");
  EXPECT_EQ(store.add("folder/", "")->name, "unnamed");
  EXPECT_LE(store.add(std::string(1000, 'x'), "")->name.size(), 120u);
}

TEST(FileStore, LongNamesKeepTheirEnding) {
  FileStore store(small());
  const std::string name = store.add(std::string(1000, 'x') + ".GLB", "")->name;
  EXPECT_EQ(name, std::string(116, 'x') + ".GLB");
  EXPECT_EQ(store.add("." + std::string(1000, 'x'), "")->name.size(), 16u);
  const std::string no_ending = store.add(std::string(200, 'x'), "")->name;
  EXPECT_EQ(no_ending, std::string(120, 'x'));
}

TEST(FileStore, TheOldestUnusedOneMakesRoom) {
  FileStore store(small());
  const std::string kept = add(store, 30, true), first = add(store, 30), second = add(store, 30);
  EXPECT_TRUE(store.find(first));  // used: now the second is the oldest
  const std::string third = add(store, 30);
  EXPECT_TRUE(store.find(kept));
  EXPECT_TRUE(store.find(first));
  EXPECT_FALSE(store.find(second));
  EXPECT_TRUE(store.find(third));
  for (int k = 0; k < 10; ++k) add(store, 1);
  EXPECT_TRUE(store.find(kept));
  EXPECT_FALSE(store.find(first));
}

TEST(FileStore, WhatIsTooLargeIsRefusedAndNothingGoesForIt) {
  FileStore store(small());
  const std::string file = add(store, 40);
  EXPECT_EQ(store.add("b", std::string(41, 'x')).error().code, ErrorCode::kLimit);
  EXPECT_EQ(store.reserve(41).error().code, ErrorCode::kLimit);
  EXPECT_TRUE(store.find(file));
}

TEST(FileStore, RoomIsHeldWhileAFileIsOnItsWay) {
  FileStore store(small());
  auto one = store.reserve(40), two = store.reserve(40);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(store.reserve(40).error().code, ErrorCode::kLimit);
  EXPECT_EQ(store.add("a", std::string(30, 'x')).error().code, ErrorCode::kLimit);
  one->reset();
  EXPECT_TRUE(store.reserve(40).ok());
  EXPECT_TRUE(store.add("a", std::string(30, 'x')).ok());
}

}  // namespace
}  // namespace sinew::studio

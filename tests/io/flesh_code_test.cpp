// SPDX-License-Identifier: Apache-2.0
#include "io/flesh_code.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace sinew::gltf {
namespace {

constexpr double kPlenty = 1e9;

std::span<const std::uint8_t> view(const std::string& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// A sheet of points with a copy of each, as meshes with seams have them, and smooth fields on parts of it.
struct Sheet {
  std::vector<Vec3> positions;
  std::vector<FleshField> fields;
};
Sheet sheet(std::uint32_t side = 40) {
  Sheet made;
  for (std::uint32_t copy = 0; copy < 2; ++copy)
    for (std::uint32_t i = 0; i < side * side; ++i)
      made.positions.push_back(
          {static_cast<double>(i % side), static_cast<double>(i / side), std::sin(0.1 * (i % side))});
  for (int f = 0; f < 3; ++f) {
    std::vector<std::uint32_t> vertices;
    std::vector<float> twist;
    std::vector<std::array<float, 9>> rows;
    for (std::uint32_t v = 0; v < made.positions.size(); ++v) {
      const Vec3 p = made.positions[v] / side;
      if (p.x() < 0.25 * f) continue;
      vertices.push_back(v);
      twist.push_back(static_cast<float>(0.5 + 0.4 * std::sin(3 * p.y())));
      std::array<float, 9> row;
      for (std::size_t k = 0; k < 9; ++k)
        row[k] =
            static_cast<float>((k < 3 ? 1 : 0.1) * std::sin(3 * p.x() + static_cast<double>(k) * p.y() + f) *
                               (p.x() - 0.25 * f));
      rows.push_back(row);
    }
    Eigen::MatrixXf values(static_cast<Eigen::Index>(rows.size()), 9);
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t k = 0; k < 9; ++k)
        values(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(k)) = rows[r][k];
    std::vector<float> mixes;
    for (std::size_t k = 0; k < 3 * kTurnFunctions; ++k) mixes.push_back(static_cast<float>(k));
    const std::vector<std::uint8_t> fine{1, 0, 0};
    const std::vector<float> steps{1e-3f, 1e-3f, 2e-3f};
    made.fields.push_back(
        quantise_field(static_cast<std::uint32_t>(f), vertices, twist, mixes, fine, steps, values));
  }
  return made;
}

std::vector<FleshField> heads(std::vector<FleshField> fields) {
  for (FleshField& field : fields) {
    field.vertices.clear();
    field.twist.clear();
    field.values.clear();
  }
  return fields;
}

void expect_back(const Sheet& made) {
  const std::string bytes = encode_fields(made.positions, made.fields);
  std::vector<FleshField> again = heads(made.fields);
  const auto decoded = decode_fields(view(bytes), made.positions.size(), kPlenty, again);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  for (std::size_t f = 0; f < again.size(); ++f) {
    EXPECT_EQ(again[f].vertices, made.fields[f].vertices);
    EXPECT_EQ(again[f].values, made.fields[f].values);
    ASSERT_EQ(again[f].twist.size(), made.fields[f].twist.size());
    for (std::size_t r = 0; r < again[f].twist.size(); ++r)
      ASSERT_NEAR(again[f].twist[r], made.fields[f].twist[r], 0.5 / 65535);
  }
}

TEST(FleshCode, GivesBackEveryNumber) {
  expect_back(sheet());
}

TEST(FleshCode, GivesBackNumbersWithoutAnyOrder) {
  Sheet made = sheet(12);
  std::mt19937 random(3);
  std::uniform_int_distribution<int> place(0, 4);
  for (Vec3& p : made.positions) p = Vec3(place(random), place(random), place(random));
  for (FleshField& field : made.fields) {
    for (std::int8_t& value : field.values) value = static_cast<std::int8_t>(random());
    for (float& twist : field.twist) twist = static_cast<float>(random() % 65536) / 65535;
  }
  made.fields[1] = {};
  made.positions[7] = Vec3::Constant(std::nan(""));
  expect_back(made);
}

// Two fields of three modes, one of which has what 8 bits leave of it, at 50 vertices. Bytes as they were when the
// format was new; web/tests/unit/fleshCode.test.ts has the same.
constexpr const char* kStored =
    "720000003e01000028000000f80000001e0000000168cc090aa4d290ad483c84f22787ab300d2c0feae0b746fe5aa600"
    "8162ccd5ccc701b6b333ef2c25aa7918af87b4bf293a7f3b1805202b5946edce830afad9313ce072d1c920a5d31d51e2"
    "9035fa2b2c23afd4e915cd573203f8c98ee3cc22d8655d4f9ecaf002d82488ce4b49fbffb69509a56741ffffffdfc51f"
    "f651f7f99b613c77d806124a64583ce9ce6db6196c0281eb3ebebf69b29ab573d76cef2f781b98c4c270e21c04342331"
    "54e400a45d1c4ed2ea0770ad597f17f43b4319abd89425a7d82537145eaffc3d39ea025fc28b3bb88ac9f3dc280cdc53"
    "1a2f3ced9b54a5d2a8d88036a90d2e919e5faec0200d7cfd9fe8ac3506d39cffa33ffe93b25d77aef2070fd351f45352"
    "747e8dce33e1a1f2fd11d4f88da197f0354890cf31962e9023c590ffc47d83ec20b8143cf9791b10bd3c8ccbd8dac95e"
    "181ce6cb3f3bc2d0ffd8e24245c157b62c5929cddc34350344bd444a079f500000000000000000000000000000000000"
    "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000000000000000000000000000009a2dd4d90f8882cd321dbf307a4fdc65f98720414821524196e6867"
    "53f52368e7c8d09ccf22b305744042130cde7b55a3a01e85fe899500005ced5a2dfb648564aa0add509b15dd912a4121"
    "e04dbffbebdd41c6622166941179412f1a276d2f608bae5252205f14195e8ef18ad987442cf2559606de8ca1c9800002"
    "7187bffac39fc6e3a16ca3dfe453e09dc0faeaffe1b20fd6d442e5fd10ff98c668e537a76d3c11408b6f375230811b42"
    "a7e5b8dcd0661848f727db62000000000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000";

TEST(FleshCode, OfStoredFilesStaysTheSame) {
  std::string bytes;
  for (const char* at = kStored; *at; at += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(at, 2), nullptr, 16)));
  std::vector<FleshField> fields(2);
  for (FleshField& field : fields) field.steps.resize(4);
  const auto decoded = decode_fields(view(bytes), 50, kPlenty, fields);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  std::uint32_t hash = 0;
  const auto add = [&](auto number) { hash = hash * 31 + static_cast<std::uint32_t>(number); };
  for (const FleshField& field : fields) {
    for (const std::int8_t value : field.values) add(std::int32_t{value});
    for (const std::uint32_t v : field.vertices) add(v);
    for (const float twist : field.twist) add(std::lround(static_cast<double>(twist) * 65535));
  }
  EXPECT_EQ(hash, 1504902383u);
}

TEST(FleshCode, IsMuchSmallerForSmoothFields) {
  const Sheet made = sheet();
  std::size_t values = 0, rows = 0;
  for (const FleshField& field : made.fields) values += field.values.size(), rows += field.vertices.size();
  EXPECT_LT(8 * encode_fields(made.positions, made.fields).size(), 2 * (values + 4 * rows));
}

TEST(FleshCode, OfNothingIsNothing) {
  const std::string bytes = encode_fields({}, {});
  EXPECT_TRUE(decode_fields(view(bytes), 0, kPlenty, {}).ok());
  std::vector<FleshField> one(1);
  const std::string empty = encode_fields(std::vector<Vec3>(5, Vec3::Zero()), one);
  EXPECT_TRUE(decode_fields(view(empty), 5, kPlenty, one).ok());
}

TEST(FleshCode, RefusesWhatIsCutShortOrTooLarge) {
  const Sheet made = sheet(12);
  const std::string bytes = encode_fields(made.positions, made.fields);
  const auto refused = [&](std::span<const std::uint8_t> some, std::size_t vertices, double most,
                           const char* words) {
    std::vector<FleshField> again = heads(made.fields);
    const auto decoded = decode_fields(some, vertices, most, again);
    ASSERT_FALSE(decoded.ok()) << words;
    EXPECT_NE(decoded.error().message.find(words), std::string::npos) << decoded.error().message;
  };
  const std::size_t vertices = made.positions.size();
  refused(view(bytes).first(10), vertices, kPlenty, "shorter than the table");
  refused(view(bytes).first(bytes.size() - 1), vertices, kPlenty, "not as long as its fields");
  refused(view(bytes), vertices, 1000, "more than the file can");
  refused(view(bytes), 10, kPlenty, "more vertices than there are");
  std::string shorter = bytes;  // the last field loses its second half
  const std::size_t at = 4 + 8 * 2;
  std::size_t length = 0;
  for (std::size_t k = 4; k-- > 0;) length = length << 8 | static_cast<std::uint8_t>(shorter[at + k]);
  for (std::size_t k = 0; k < 4; ++k) shorter[at + k] = static_cast<char>(length / 2 >> (8 * k) & 255);
  shorter.resize(shorter.size() - (length - length / 2));
  refused(view(shorter), vertices, kPlenty, "damaged or cut short at field 2");
}

// Whatever the bytes are: an error, or fields that fit the mesh.
TEST(FleshCode, OfDamagedBytesFitsTheMeshOrIsRefused) {
  const Sheet made = sheet(10);
  const std::string bytes = encode_fields(made.positions, made.fields);
  std::mt19937 random(11);
  std::size_t read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = bytes;
    for (unsigned k = 0; k < 1 + random() % 4; ++k)
      damaged[(round % 2 ? 28 : 0) + random() % (damaged.size() - 28)] = static_cast<char>(random());
    std::vector<FleshField> again = heads(made.fields);
    if (!decode_fields(view(damaged), made.positions.size(), kPlenty, again).ok()) continue;
    ++read;
    for (const FleshField& field : again) {
      ASSERT_EQ(field.twist.size(), field.vertices.size());
      ASSERT_EQ(field.values.size(), 3 * field.modes() * field.vertices.size());
      for (const std::uint32_t v : field.vertices) ASSERT_LT(v, made.positions.size());
      for (const float twist : field.twist) ASSERT_TRUE(twist >= 0 && twist <= 1);
    }
  }
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace sinew::gltf

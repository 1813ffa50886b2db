// SPDX-License-Identifier: Apache-2.0
#include "io/ply_header.h"

#include <limits>
#include <optional>

#include "io/text_input.h"
#include "sinew/core/text.h"

namespace sinew::io {
namespace {

std::optional<PlyType> type_named(std::string_view name) {
  static constexpr struct {
    std::string_view name;
    PlyType type;
  } kTypes[] = {
      {"char", PlyType::kInt8},      {"int8", PlyType::kInt8},     {"uchar", PlyType::kUint8},
      {"uint8", PlyType::kUint8},    {"short", PlyType::kInt16},   {"int16", PlyType::kInt16},
      {"ushort", PlyType::kUint16},  {"uint16", PlyType::kUint16}, {"int", PlyType::kInt32},
      {"int32", PlyType::kInt32},    {"uint", PlyType::kUint32},   {"uint32", PlyType::kUint32},
      {"float", PlyType::kFloat},    {"float32", PlyType::kFloat}, {"double", PlyType::kDouble},
      {"float64", PlyType::kDouble},
  };
  for (const auto& known : kTypes)
    if (known.name == name) return known.type;
  return std::nullopt;
}

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  Result<PlyHeader> read() {
    if (!next_line() || line_ != "ply") return error_in(name_, "it does not begin with 'ply'");
    bool formatted = false;
    for (;;) {
      if (!next_line()) return fail("the header has no 'end_header'");
      LineReader words(line_);
      words.next_line();
      const std::string_view keyword = words.next_word();
      if (keyword == "end_header") break;
      if (keyword == "format") {
        SINEW_CHECK(read_format(words));
        formatted = true;
      } else if (keyword == "element") {
        SINEW_CHECK(read_element(words));
      } else if (keyword == "property") {
        SINEW_CHECK(read_property(words));
      } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
        return fail("'" + printable(keyword, 40) + "' is not a keyword of a PLY header");
      }
    }
    if (!formatted) return fail("the header has no 'format' line");
    header_.body = at_;
    header_.lines = number_;
    SINEW_CHECK(check_counts());
    return std::move(header_);
  }

 private:
  Error fail(const std::string& what) const { return error_at_line(name_, number_, what); }

  // A lone \r ends lines only where it ends the first: behind 'end_header\r' a \n may be the first byte of
  // the data.
  bool next_line() {
    if (at_ >= bytes_.size()) return false;
    const std::size_t end = bytes_.find_first_of("\r\n", at_);
    if (end == std::string_view::npos || end - at_ > 65536) return false;
    line_ = bytes_.substr(at_, end - at_);
    const bool pair = bytes_.substr(end, 2) == "\r\n";
    if (number_ == 0) pairs_ = pair;
    at_ = end + (pair && (pairs_ || line_ != "end_header") ? 2 : 1);
    ++number_;
    return true;
  }

  Result<void> read_format(LineReader& words) {
    const std::string_view format = words.next_word();
    if (format == "ascii") {
      header_.format = PlyFormat::kAscii;
    } else if (format == "binary_little_endian") {
      header_.format = PlyFormat::kLittleEndian;
    } else if (format == "binary_big_endian") {
      header_.format = PlyFormat::kBigEndian;
    } else {
      return fail("unknown format '" + printable(format, 40) + "'");
    }
    return {};
  }

  Result<void> read_element(LineReader& words) {
    PlyElement element;
    element.name = words.next_word();
    const std::string_view text = words.next_word();
    const auto count = parse_int(text);
    if (!count || *count < 0) return fail("'" + printable(text, 40) + "' is not a number of elements");
    element.count = static_cast<std::size_t>(*count);
    header_.elements.push_back(std::move(element));
    return {};
  }

  Result<void> read_property(LineReader& words) {
    if (header_.elements.empty()) return fail("a property before the first element");
    PlyProperty property;
    std::string_view type = words.next_word();
    if (type == "list") {
      property.is_list = true;
      const std::string_view count = words.next_word();
      const auto known = type_named(count);
      if (!known || *known == PlyType::kFloat || *known == PlyType::kDouble)
        return fail("'" + printable(count, 40) + "' is not a type for the length of a list");
      property.count_type = *known;
      type = words.next_word();
    }
    const auto known = type_named(type);
    if (!known) return fail("unknown property type '" + printable(type, 40) + "'");
    property.type = *known;
    property.name = words.next_word();
    header_.elements.back().properties.push_back(std::move(property));
    return {};
  }

  // The fewest bytes that one element takes: a digit and a blank for each word of a text file.
  std::size_t least_size(const PlyElement& element) const {
    std::size_t size = 0;
    for (const PlyProperty& property : element.properties)
      size += header_.format == PlyFormat::kAscii
                  ? 2
                  : size_of(property.is_list ? property.count_type : property.type);
    return size;
  }

  Result<void> check_counts() const {
    std::size_t left = bytes_.size() - at_ + 1;  // the last blank of a text file may be missing
    for (const PlyElement& element : header_.elements) {
      const std::size_t least = least_size(element);
      if (least == 0) continue;
      if (element.count > left / least || element.count >= std::numeric_limits<std::uint32_t>::max())
        return error_in(name_, "the header says there are " + std::to_string(element.count) + " of '" +
                                   printable(element.name, 40) + "' but the file is too short for them");
      left -= element.count * least;
    }
    return {};
  }

  std::string_view bytes_, name_, line_;
  std::size_t at_ = 0, number_ = 0;
  bool pairs_ = false;
  PlyHeader header_;
};

}  // namespace

std::size_t size_of(PlyType type) {
  constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}

Result<PlyHeader> read_ply_header(std::string_view bytes, std::string_view name) {
  return HeaderReader(bytes, name).read();
}

}  // namespace sinew::io

// SPDX-License-Identifier: Apache-2.0
#include "python.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sinew::python {

void raise(Error error) {
  if (!error.parameter.empty() && error.message.starts_with(error.parameter)) {
    const std::string named = python_name(error.parameter);
    error.message.replace(0, error.parameter.size(), named);
    error.parameter = named;
  }
  // Names in files need not be UTF-8.
  const nb::object message = nb::steal(
      PyUnicode_DecodeUTF8(error.message.data(), static_cast<Py_ssize_t>(error.message.size()), "replace"));
  const nb::object made = nb::module_::import_("sinew._errors")
                              .attr("make")(static_cast<int>(error.code), message, error.parameter);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  throw nb::python_error();
}

nb::object to_python(const nlohmann::ordered_json& document) {
  using Kind = nlohmann::ordered_json::value_t;
  switch (document.type()) {
    case Kind::object: {
      nb::dict made;
      for (const auto& [key, value] : document.items()) made[key.c_str()] = to_python(value);
      return made;
    }
    case Kind::array: {
      nb::list made;
      for (const auto& value : document) made.append(to_python(value));
      return made;
    }
    case Kind::string: {
      const auto& text = document.get_ref<const std::string&>();
      return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    }
    case Kind::boolean:
      return nb::bool_(document.get<bool>());
    case Kind::number_integer:
    case Kind::number_unsigned:
      return nb::int_(document.get<long long>());
    case Kind::number_float:
      return nb::float_(document.get<double>());
    default:
      return nb::none();
  }
}

std::string python_name(std::string_view option) {
  std::string name(option);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string option_name(std::string_view name) {
  std::string option(name);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

namespace {

template <class Named>
Setting named_values(const Descriptor& descriptor, nb::handle value) {
  Named named;
  for (const auto& [key, one] : nb::borrow<nb::dict>(value)) {
    typename Named::mapped_type read{};
    if (!nb::isinstance<nb::str>(key) || !nb::try_cast(one, read))
      raise(parameter_error(std::string(descriptor.option),
                            std::string("has an entry ") + nb::repr(key).c_str() + ": " +
                                nb::repr(one).c_str() + " that is not " + setting_range(descriptor)));
    named[nb::cast<std::string>(key)] = read;
  }
  return named;
}

}  // namespace

Setting setting_of(const Descriptor& descriptor, nb::handle value) {
  using Kind = Descriptor::Kind;
  Setting made;
  double number = 0;
  const bool is_bool = PyBool_Check(value.ptr()) != 0;
  if (descriptor.kind == Kind::kFlag && is_bool) {
    made = value.is(Py_True);
  } else if (nb::isinstance<nb::dict>(value) && descriptor.kind == Kind::kNamedNumbers) {
    made = named_values<NamedNumbers>(descriptor, value);
  } else if (nb::isinstance<nb::dict>(value) && descriptor.kind == Kind::kNamedWords) {
    made = named_values<NamedWords>(descriptor, value);
  } else if (nb::isinstance<nb::str>(value) && descriptor.kind == Kind::kWord) {
    made = nb::cast<std::string>(value);
  } else if (nb::isinstance<nb::str>(value) && descriptor.kind != Kind::kFlag) {
    made = value_of(parse_setting(descriptor, nb::cast<std::string>(value)));
  } else if (!is_bool && (descriptor.kind == Kind::kNumber || descriptor.kind == Kind::kWhole) &&
             nb::try_cast(value, number)) {
    made = number;
  } else {
    raise(
        parameter_error(std::string(descriptor.option),
                        std::string("cannot be ") + nb::repr(value).c_str() + ": give " +
                            (descriptor.kind == Kind::kFlag ? "True or False" : setting_range(descriptor))));
  }
  value_of(check_setting(descriptor, made));
  return made;
}

Settings settings_of(std::span<const Descriptor> table, const nb::dict& given, const char* of) {
  Settings made;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key), option = option_name(name);
    const auto known =
        std::find_if(table.begin(), table.end(), [&](const Descriptor& one) { return one.option == option; });
    if (known == table.end()) {
      std::string names;
      for (const Descriptor& one : table) names += (names.empty() ? "" : ", ") + python_name(one.option);
      raise(usage_error("there is no setting '" + name + "' of " + of + ": there are " + names));
    }
    if (!value.is_none()) made[option] = setting_of(*known, value);
  }
  return made;
}

nb::object to_python(const Setting& value) {
  return std::visit(
      [](const auto& one) -> nb::object {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, NamedNumbers> || std::is_same_v<T, NamedWords>) {
          nb::dict made;
          for (const auto& [name, entry] : one) made[name.c_str()] = entry;
          return made;
        } else {
          return nb::cast(one);
        }
      },
      value);
}

nb::dict describe(const Descriptor& descriptor, const std::string& owner, const Setting& usual) {
  constexpr const char* kKinds[] = {"flag", "number", "whole", "word", "named numbers", "named words"};
  nb::dict made;
  made["name"] = python_name(descriptor.option);
  made["of"] = owner;
  made["kind"] = kKinds[static_cast<std::size_t>(descriptor.kind)];
  made["range"] = descriptor.kind == Descriptor::Kind::kFlag ? "True or False" : setting_range(descriptor);
  made["default"] = to_python(usual);
  made["help"] = std::string(descriptor.help);
  return made;
}

}  // namespace sinew::python

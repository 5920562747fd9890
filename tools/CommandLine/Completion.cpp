//===- Completion.cpp - Completion in bash --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that needs nothing but bash: bash-completion finds and loads it by
// its name, and `source` does, too.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/Manual.h"

#include <algorithm>
#include <set>

using namespace soap;
using namespace soap::manual;

namespace {

/// Of an option's value: the words that it may be; files where there are none.
std::string wordsOf(const Option &option) {
  std::string words;
  for (const Choice &choice : option.choices)
    words += (words.empty() ? "" : " ") + choice.name;
  return words;
}

void addOptions(std::vector<const Option *> &list, const Manual &manual) {
  for (const Group &group : manual.groups)
    for (const Option &option : group.options)
      list.push_back(&option);
}

/// Cases by flag, with the words of their values; options of a pass are words
/// that end with `=`.
std::string valueCases(const std::vector<const Option *> &options) {
  std::string text;
  for (const Option *option : options) {
    std::string words = wordsOf(*option);
    if (!option->options.empty())
      for (const Option &inner : option->options)
        words += (words.empty() ? "" : " ") + inner.names.front() + "=";
    if (option->value.empty() && option->options.empty())
      continue;
    text += "    ";
    for (const std::string &name : option->names)
      text += (&name == &option->names.front() ? "" : "|") + name;
    text += ") words='" + words + "'; known=1 ;;\n";
  }
  return text;
}

std::string namesOf(const std::vector<const Option *> &options) {
  std::set<std::string> names;
  for (const Option *option : options)
    for (const std::string &name : option->names)
      names.insert(name);
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string functionName(const std::string &tool) {
  std::string name = "_" + tool;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

} // namespace

std::string manual::printCompletion(const Manual &manual) {
  std::string name = functionName(manual.tool), commands, flags, values;
  // By command, "" for the tool's own.
  auto add = [&](const std::string &command, const Manual &own) {
    std::vector<const Option *> options;
    addOptions(options, own);
    flags += "    '" + command + "') flags='" + namesOf(options) + "' ;;\n";
    std::string cases = valueCases(options);
    if (!cases.empty())
      values +=
          "  '" + command + "') case $flag in\n" + cases + "    esac ;;\n";
  };
  add("", manual);
  for (const Manual &command : manual.commands) {
    commands += (commands.empty() ? "" : " ") + commandName(command);
    add(commandName(command), command);
  }
  return "# bash completion for " + manual.tool + ", printed by " +
         manual.tool + " --print-completion\n" + name + R"(() {
  # Bash splits words at '=' and ':', which are parts of ours.
  local line=${COMP_LINE:0:COMP_POINT} current flag= command= words= known= flags= word quoted=
  local -a all
  read -ra all <<< "$line"
  case $line in *[[:space:]]) all+=("") ;; esac
  current=${all[${#all[@]}-1]}
  for word in "${all[@]:1:${#all[@]}-2}"; do
    case " )" +
         commands + R"( " in *" $word "*) command=$word; break ;; esac
  done
  case $current in
    --*=*) flag=${current%%=*}; current=${current#*=}; quoted=${current%%[!\'\"]*}; current=${current#"$quoted"} ;;
    -*) ;;
    *) (( ${#all[@]} > 2 )) && flag=${all[${#all[@]}-2]} ;;
  esac
  case $command in
)" + values +
         R"(  esac
  COMPREPLY=()
  case $current in
    -*) if [ -z "$known" ]; then
    case $command in
)" + flags +
         R"(    esac
      COMPREPLY=($(compgen -W "$flags" -- "$current"))
      return
    fi ;;
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    case "${COMPREPLY[*]}" in *=) compopt -o nospace 2> /dev/null ;; esac
    return
  fi
  if [ -z "$known$command" ] && [ -n ")" +
         commands + R"(" ]; then
    COMPREPLY=($(compgen -W ")" +
         commands + R"(" -- "$current"))
    return
  fi
  compopt -o filenames 2> /dev/null
  local IFS=$'\n'
  COMPREPLY=($(compgen -f -- "$current"))
}
complete -F )" +
         name + " " + manual.tool + "\n";
}

//===- ManPage.cpp - Man pages --------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the macros of man(7).
//
//===----------------------------------------------------------------------===//

#include "CommandLine/Manual.h"

#include <algorithm>

using namespace soap;
using namespace soap::manual;

namespace {

/// The day of the last change of an option; pages carry one.
constexpr const char *lastChange = "2026-11-29";

/// For roff: dashes are those that one types, and nothing is a request.
std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '`')
      result += "\\(ga";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else
      result += c;
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

/// Lines of a paragraph. None begins with a point.
std::string lines(const std::string &text) {
  std::string result;
  for (const std::string &line : wrapped(text, 80))
    result += escaped(line) + "\n";
  return result;
}

std::string bold(const std::string &text) {
  return "\\fB" + escaped(text) + "\\fR";
}
std::string italic(const std::string &text) {
  return "\\fI" + escaped(text) + "\\fR";
}

void addOption(std::string &page, const Option &option, bool ofPass) {
  page += ".TP\n";
  for (const std::string &name : option.names)
    page += (&name == &option.names.front() ? "" : ", ") + bold(name);
  if (!option.value.empty())
    page += (ofPass ? "=" : " ") + italic(option.value);
  page += "\n" + (option.text.empty() ? "\\&\n" : lines(option.text));
  bool spoken = false;
  for (const Choice &choice : option.choices)
    spoken |= !choice.text.empty();
  if (spoken)
    for (const Choice &choice : option.choices)
      page += ".br\n" + bold(choice.name) + ": " + escaped(choice.text) + "\n";
  if (option.options.empty())
    return;
  page += ".RS\n";
  for (const Option &inner : option.options)
    addOption(page, inner, true);
  page += ".RE\n";
}

/// `tool`: the one of which the manual is a command; null: it is none.
void addBody(std::string &page, const Manual &manual, const Manual *tool) {
  bool isCommand = tool != nullptr;
  const char *heading = isCommand ? ".SS " : ".SH ";
  for (const std::string &paragraph : manual.paragraphs)
    // The first one follows a heading, or the purpose of a command.
    page +=
        (isCommand || &paragraph != &manual.paragraphs.front() ? ".PP\n" : "") +
        lines(paragraph);
  if (!isCommand && !manual.groups.empty())
    page += ".SH OPTIONS\n";
  for (const Group &group : manual.groups) {
    auto isSame = [&](const Group &other) {
      return other.title == group.title;
    };
    if (isCommand &&
        std::any_of(tool->groups.begin(), tool->groups.end(), isSame))
      continue;
    page += ".SS " +
            escaped((isCommand ? manual.tool + ": " : "") + group.title) + "\n";
    for (const Option &option : group.options)
      addOption(page, option, false);
  }
  if (!manual.examples.empty())
    page += heading +
            escaped(isCommand ? manual.tool + ": examples" : "EXAMPLES") +
            "\n.nf\n";
  for (const std::string &example : manual.examples)
    page += escaped(example) + "\n";
  if (!manual.examples.empty())
    page += ".fi\n";
  if (manual.notes.empty())
    return;
  page +=
      heading + escaped(isCommand ? manual.tool + ": notes" : "NOTES") + "\n";
  for (const std::string &note : manual.notes)
    page += (&note == &manual.notes.front() ? "" : ".PP\n") + lines(note);
}

void addUsage(std::string &page, const Manual &manual) {
  for (const auto &[command, meaning] : manual.usage) {
    page += ".TP\n" + bold(command) + "\n" +
            (meaning.empty() ? "\\&\n" : lines(meaning));
  }
  for (const Manual &command : manual.commands)
    addUsage(page, command);
}

} // namespace

std::string manual::printManPage(const Manual &manual,
                                 const std::string &version) {
  std::string page = ".\\\" Printed by " + manual.tool + " --print-man-page\n";
  page += ".TH " + manual.tool + " 1 " + std::string(lastChange) + " \"" +
          escaped(version) + "\" \"Soap\"\n.SH NAME\n" + escaped(manual.tool) +
          " \\- " + escaped(manual.purpose) + "\n.SH SYNOPSIS\n";
  addUsage(page, manual);
  page += ".SH DESCRIPTION\n";
  if (manual.paragraphs.empty())
    page += lines(manual.tool + ": " + manual.purpose + ".");
  addBody(page, manual, nullptr);
  if (!manual.commands.empty())
    page += ".SH COMMANDS\n";
  for (const Manual &command : manual.commands) {
    page += ".SS " + escaped(command.tool) + "\n" + lines(command.purpose);
    addBody(page, command, &manual);
  }
  return page;
}

//===- Core.cpp - The extension module soap._core
//--------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API as two classes, Module and Session. Failures are exceptions of
// soap.errors, JSON and IR are str, arrays are anything with the buffer
// protocol or DLPack. Calls release the GIL and hold the lock of their context.
//
//===----------------------------------------------------------------------===//

#include "Soap-c/Session.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>

namespace nb = nanobind;

namespace {

/// A context with its lock.
struct Context {
  Context() : context(soapContextCreate()) {}
  ~Context() { soapContextDestroy(context); }
  Context(const Context &) = delete;

  SoapContext context;
  std::mutex lock;
};

struct Diagnostic {
  SoapSeverity severity;
  std::string text;
};
using Diagnostics = std::vector<Diagnostic>;

void appendText(const char *text, size_t length, void *user) {
  static_cast<std::string *>(user)->append(text, length);
}

void appendDiagnostic(SoapSeverity severity, const char *text, size_t length,
                      void *user) {
  static_cast<Diagnostics *>(user)->push_back(
      {severity, std::string(text, length)});
}

/// Hands diagnostics to soap.errors, which raises an exception after a failure
/// and warns of warnings.
void report(const Diagnostics &diagnostics, bool failed) {
  if (diagnostics.empty() && !failed)
    return;
  nb::list list;
  for (const Diagnostic &one : diagnostics)
    list.append(nb::make_tuple(int(one.severity), one.text));
  nb::module_::import_("soap.errors").attr("_report")(list, failed);
}

/// Runs `call` without the GIL; it returns whether it succeeded.
template <typename Function>
void run(Context &context, Function call) {
  Diagnostics diagnostics;
  bool succeeded;
  {
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> lock(context.lock);
    succeeded = call();
    soapContextDiagnostics(context.context, appendDiagnostic, &diagnostics);
  }
  report(diagnostics, !succeeded);
}

std::vector<const char *> pointersOf(const std::vector<std::string> &texts) {
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  return pointers;
}

const char *orNull(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}

class Module {
public:
  Module(std::shared_ptr<Context> context, SoapIRModule module)
      : context(std::move(context)), module(module) {}
  ~Module() {
    std::lock_guard<std::mutex> lock(context->lock);
    soapIRModuleDestroy(module);
  }
  Module(const Module &) = delete;

  /// A module by a function of a context.
  template <typename Function>
  static std::unique_ptr<Module> make(std::shared_ptr<Context> context,
                                      Function function) {
    SoapIRModule module = {nullptr};
    run(*context, [&] {
      module = function(context->context);
      return module.ptr != nullptr;
    });
    return std::make_unique<Module>(std::move(context), module);
  }

  /// The text that a function of the module hands out.
  template <typename Function>
  std::string text(Function function) const {
    std::string result;
    run(*context,
        [&] { return function(module, appendText, &result) == SOAP_SUCCESS; });
    return result;
  }

  std::shared_ptr<Context> context;
  SoapIRModule module;
};

using InputArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using OutputArray = nb::ndarray<nb::c_contig, nb::device::cpu>;

/// The type of an array's elements. NumPy has no bfloat16: uint16 stands for
/// its bits.
std::optional<SoapElementType> elementType(nb::dlpack::dtype type) {
  if (type == nb::dtype<float>())
    return SOAP_ELEMENT_F32;
  if (type == nb::dtype<double>())
    return SOAP_ELEMENT_F64;
  if (type == nb::dtype<int32_t>())
    return SOAP_ELEMENT_I32;
  if (type == nb::dtype<int64_t>())
    return SOAP_ELEMENT_I64;
  if (type.code == uint8_t(nb::dlpack::dtype_code::Float) && type.bits == 16 &&
      type.lanes == 1)
    return SOAP_ELEMENT_F16;
  if (type == nb::dtype<uint16_t>())
    return SOAP_ELEMENT_BF16;
  return std::nullopt;
}

class Session {
public:
  Session(std::shared_ptr<Context> context, SoapSession session)
      : context(std::move(context)), session(session) {}
  ~Session() {
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> lock(context->lock);
    soapSessionDestroy(session);
  }
  Session(const Session &) = delete;

  void set(const std::string &name, const InputArray &array) {
    std::optional<SoapElementType> type = elementType(array.dtype());
    if (!type)
      throw nb::type_error(("tensor '" + name +
                            "': expected an array of float16, float32, "
                            "float64, int32 or int64")
                               .c_str());
    std::vector<int64_t> shape;
    for (size_t i = 0; i < array.ndim(); ++i)
      shape.push_back(int64_t(array.shape(i)));
    run(*context, [&] {
      return soapSessionSet(session, name.c_str(), *type, shape.data(),
                            shape.size(), array.data()) == SOAP_SUCCESS;
    });
  }

  void get(const std::string &name, const OutputArray &array) {
    run(*context, [&] {
      return soapSessionGet(session, name.c_str(), array.data(),
                            array.nbytes()) == SOAP_SUCCESS;
    });
  }

  void result(const std::string &entry, const std::string &name,
              const OutputArray &array) {
    run(*context, [&] {
      return soapSessionResult(session, entry.c_str(), name.c_str(),
                               array.data(), array.nbytes()) == SOAP_SUCCESS;
    });
  }

  std::shared_ptr<Context> context;
  SoapSession session;
};

SoapSessionOptions sessionOptions(int level, bool cache, bool pins,
                                  int threads) {
  SoapSessionOptions options;
  options.optLevel = level;
  options.noCache = !cache;
  options.pinsThreads = pins;
  options.threadsPerDevice = threads;
  return options;
}

std::unique_ptr<Session> compile(const Module &module, int level, bool cache,
                                 bool pins, int threads) {
  SoapSessionOptions options = sessionOptions(level, cache, pins, threads);
  SoapSession session = {nullptr};
  run(*module.context, [&] {
    session = soapSessionCompile(module.module, &options);
    return session.ptr != nullptr;
  });
  return std::make_unique<Session>(module.context, session);
}

std::unique_ptr<Session> load(const std::string &path, bool pins, int threads) {
  auto context = std::make_shared<Context>();
  SoapSessionOptions options = sessionOptions(2, true, pins, threads);
  SoapSession session = {nullptr};
  run(*context, [&] {
    session = soapSessionLoad(context->context, path.c_str(), &options);
    return session.ptr != nullptr;
  });
  return std::make_unique<Session>(std::move(context), session);
}

/// A context that has the dialects of plugins.
std::shared_ptr<Context> contextWith(const std::vector<std::string> &plugins) {
  auto context = std::make_shared<Context>();
  for (const std::string &path : plugins)
    run(*context, [&] {
      return soapContextLoadDialectPlugin(context->context, path.c_str()) ==
             SOAP_SUCCESS;
    });
  return context;
}

void addModule(nb::module_ &m) {
  nb::class_<Module>(m, "Module")
      .def_static("parse",
                  [](const std::string &text, const std::string &name,
                     const std::vector<std::string> &plugins) {
                    return Module::make(
                        contextWith(plugins), [&](SoapContext context) {
                          return soapIRModuleParse(context, text.data(),
                                                   text.size(), name.c_str());
                        });
                  })
      .def_static(
          "parse_file",
          [](const std::string &path, const std::vector<std::string> &plugins) {
            return Module::make(contextWith(plugins), [&](SoapContext context) {
              return soapIRModuleParseFile(context, path.c_str());
            });
          })
      .def_static(
          "import_onnx",
          [](const std::string &path, const std::vector<std::string> &options) {
            std::vector<const char *> pointers = pointersOf(options);
            return Module::make(
                std::make_shared<Context>(), [&](SoapContext context) {
                  return soapIRModuleImportONNX(
                      context, path.c_str(), pointers.data(), pointers.size());
                });
          })
      .def_static("import_stablehlo",
                  [](const std::string &text, const std::string &name,
                     const std::vector<std::string> &options) {
                    std::vector<const char *> pointers = pointersOf(options);
                    return Module::make(
                        std::make_shared<Context>(), [&](SoapContext context) {
                          return soapIRModuleImportStableHLO(
                              context, text.data(), text.size(), name.c_str(),
                              pointers.data(), pointers.size());
                        });
                  })
      .def_static("generate",
                  [](const std::string &name, int64_t batch,
                     const std::vector<std::string> &options) {
                    std::vector<const char *> pointers = pointersOf(options);
                    return Module::make(
                        std::make_shared<Context>(), [&](SoapContext context) {
                          return soapIRModuleGenerate(context, name.c_str(),
                                                      batch, pointers.data(),
                                                      pointers.size());
                        });
                  })
      .def("clone",
           [](const Module &self) {
             return Module::make(self.context, [&](SoapContext) {
               return soapIRModuleClone(self.module);
             });
           })
      .def("print",
           [](const Module &self) { return self.text(soapIRModulePrint); })
      .def("export_shardy",
           [](const Module &self, const Module &planned,
              const std::string &text,
              const std::vector<std::string> &options) {
             std::vector<const char *> pointers = pointersOf(options);
             return self.text([&](SoapIRModule module,
                                  SoapTextCallback callback, void *user) {
               return soapIRModuleExportShardy(
                   module, planned.module, text.data(), text.size(),
                   pointers.data(), pointers.size(), callback, user);
             });
           })
      .def("run_passes",
           [](const Module &self, const std::string &pipeline) {
             run(*self.context, [&] {
               return soapIRModuleRunPasses(self.module, pipeline.c_str()) ==
                      SOAP_SUCCESS;
             });
           })
      .def(
          "name_arguments",
          [](const Module &self, const std::vector<std::string> &names,
             const std::optional<std::string> &function) {
            std::vector<const char *> pointers = pointersOf(names);
            run(*self.context, [&] {
              return soapIRModuleNameArguments(self.module, orNull(function),
                                               pointers.data(),
                                               pointers.size()) == SOAP_SUCCESS;
            });
          },
          nb::arg("names"), nb::arg("function").none())
      .def("search",
           [](const Module &self, const std::string &options) {
             return self.text([&](auto module, auto callback, auto user) {
               return soapIRModuleSearch(module, options.c_str(), callback,
                                         user);
             });
           })
      .def("simulate",
           [](const Module &self, const std::string &options) {
             return self.text([&](auto module, auto callback, auto user) {
               return soapIRModuleSimulate(module, options.c_str(), callback,
                                           user);
             });
           })
      .def("explain",
           [](const Module &self, const std::string &options) {
             return self.text([&](auto module, auto callback, auto user) {
               return soapIRModuleExplain(module, options.c_str(), callback,
                                          user);
             });
           })
      .def(
          "compare",
          [](const Module &self, const std::vector<std::string> &strategies,
             const std::optional<std::string> &function,
             const std::optional<std::string> &topology) {
            std::vector<const char *> pointers = pointersOf(strategies);
            return self.text([&](auto module, auto callback, auto user) {
              return soapIRModuleCompare(module, orNull(function),
                                         orNull(topology), pointers.data(),
                                         pointers.size(), callback, user);
            });
          },
          nb::arg("strategies"), nb::arg("function").none(),
          nb::arg("topology").none())
      .def("describe",
           [](const Module &self) { return self.text(soapIRModuleDescribe); })
      .def(
          "strategy",
          [](const Module &self, const std::optional<std::string> &function) {
            return self.text([&](auto module, auto callback, auto user) {
              return soapIRModuleStrategy(module, orNull(function), callback,
                                          user);
            });
          },
          nb::arg("function").none())
      .def(
          "strategy_file",
          [](const Module &self, const std::optional<std::string> &function) {
            return self.text([&](auto module, auto callback, auto user) {
              return soapIRModuleStrategyFile(module, orNull(function),
                                              callback, user);
            });
          },
          nb::arg("function").none())
      .def(
          "placement",
          [](const Module &self, const std::optional<std::string> &function) {
            return self.text([&](auto module, auto callback, auto user) {
              return soapIRModulePlacement(module, orNull(function), callback,
                                           user);
            });
          },
          nb::arg("function").none())
      .def(
          "draw",
          [](const Module &self, const std::optional<std::string> &function) {
            return self.text([&](auto module, auto callback, auto user) {
              return soapIRModuleDraw(module, orNull(function), callback, user);
            });
          },
          nb::arg("function").none())
      .def("emit_artifact", [](const Module &self, const std::string &path,
                               int level, const std::string &cpu) {
        run(*self.context, [&] {
          return soapIRModuleEmitArtifact(self.module, path.c_str(), level,
                                          cpu.c_str()) == SOAP_SUCCESS;
        });
      });
}

void addSession(nb::module_ &m) {
  nb::class_<Session>(m, "Session")
      .def_static("compile", compile)
      .def_static("load", load)
      .def("describe",
           [](const Session &self) {
             std::string result;
             run(*self.context, [&] {
               return soapSessionDescribe(self.session, appendText, &result) ==
                      SOAP_SUCCESS;
             });
             return result;
           })
      .def("initialize",
           [](const Session &self, const std::string &rule, uint64_t seed) {
             run(*self.context, [&] {
               return soapSessionInitialize(self.session, rule.c_str(), seed) ==
                      SOAP_SUCCESS;
             });
           })
      .def("set", &Session::set)
      .def("get", &Session::get)
      .def("run",
           [](const Session &self, const std::string &entry) {
             run(*self.context, [&] {
               return soapSessionRun(self.session, entry.c_str()) ==
                      SOAP_SUCCESS;
             });
           })
      .def("result", &Session::result)
      .def("last_milliseconds",
           [](const Session &self) {
             return soapSessionLastMilliseconds(self.session);
           })
      .def("learning_rate",
           [](const Session &self, int64_t iteration) {
             return soapSessionLearningRate(self.session, iteration);
           })
      .def("save",
           [](const Session &self, const std::string &path, bool allStates) {
             run(*self.context, [&] {
               return soapSessionSave(self.session, path.c_str(), allStates) ==
                      SOAP_SUCCESS;
             });
           });
}

} // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C API of Soap; see the package soap.";
  m.def("version", [] { return std::string(soapVersion()); });
  addModule(m);
  addSession(m);
}

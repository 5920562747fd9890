// Every message of the parsers and verifiers of typed attributes.
// RUN: soap-opt %s -split-input-file -verify-diagnostics

// expected-error@+2 {{to be one of: data, label, parameter, state, positions, loss, correct, output, update}}
// expected-error@+1 {{failed to parse Soap_KindAttr}}
module attributes {a = #soap.kind<weight>} {}

// -----

// expected-error@+2 {{to be one of: f32, tf32, bf16}}
// expected-error@+1 {{failed to parse Soap_PrecisionAttr}}
module attributes {a = #soap.precision<f16>} {}

// -----

// expected-error@+1 {{expected a schedule, "1f1b" or "gpipe", got "zigzag"}}
module attributes {a = #soap.pipeline<microbatches = 4, schedule = zigzag>} {}

// -----

// expected-error@+1 {{microbatches must be at least 1, got 0}}
module attributes {a = #soap.pipeline<microbatches = 0, schedule = "1f1b">} {}

// -----

// expected-error@+1 {{replicas must be in [1, 2147483647], got 0}}
module attributes {a = #soap.pipeline<microbatches = 4, schedule = "1f1b", replicas = [2, 0]>} {}

// -----

// expected-error@+1 {{expected 'schedule'}}
module attributes {a = #soap.pipeline<microbatches = 4, replicas = [2]>} {}

// -----

// expected-error@+1 {{expected the name of a built-in topology in quotes, or the table of a topology file}}
module attributes {a = #soap.topology<cpu>} {}

// -----

// expected-error@+1 {{unknown topology 'cpu-0'}}
module attributes {a = #soap.topology<"cpu-0">} {}

// -----

// expected-error@+1 {{soap.topology: at /: expected key "device_types", which is missing}}
module attributes {a = #soap.topology<{version = 1, name = "x"}>} {}

// -----

// expected-error@+1 {{key 'name' appears twice}}
module attributes {a = #soap.topology<{version = 1, name = "x", name = "y"}>} {}

// -----

// expected-error@+1 {{expected at most 16 nested tables and lists}}
module attributes {a = #soap.topology<{a = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}>} {}

// -----

// expected-error@+1 {{integer value too large}}
module attributes {a = #soap.topology<{version = 99999999999999999999999}>} {}

// -----

// expected-error@+1 {{expected a string in UTF-8}}
module attributes {a = #soap.topology<{name = "\FF"}>} {}

// -----

// expected-error@+1 {{'soap.topology' must be #soap.topology<NAME or table>, got 4 : i64}}
module attributes {soap.topology = 4 : i64} {}

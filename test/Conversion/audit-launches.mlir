// Bytes and times of launches, counted by hand here. A table by share of the step, the same as JSON, and
// limits.
// RUN: soap-opt %s --soap-audit-launches='chip=h100 bandwidth=1e12 report=-' -o /dev/null 2>%t | FileCheck %s --check-prefix=JSON
// RUN: FileCheck %s --check-prefix=TABLE < %t
// RUN: soap-opt %s --soap-audit-launches='rows=0 max-launches=6 max-share=0.5 max-ratio=100000 max-total-ratio=100000 max-uncoalesced=1' -o /dev/null 2>&1 | count 0
// RUN: not soap-opt %s --soap-audit-launches='rows=0 bandwidth=1e12 max-launches=5 max-share=0.04 max-ratio=2 max-total-ratio=1.5 max-uncoalesced=0.01' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIMITS
// RUN: not soap-opt %s --soap-audit-launches=chip=h300 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not soap-opt %s --soap-audit-launches=max-ratio=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not soap-opt %s --soap-audit-launches=program=step 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not soap-opt %s --soap-audit-launches=report=/missing/folder/x.json 2>&1 | FileCheck %s --check-prefix=FILE
// CHIP: error: option 'chip=h300': expected a100, h100 or h200
// NEGATIVE: error: option 'max-ratio=-1{{.*}}': expected a number of at least 0
// NONE: error: the module has no program 'step...': expected the result of --soap-lower-to-cuda='until=launches'
// FILE: error: option 'report=/missing/folder/x.json': cannot write: {{[Nn]}}o such file or directory

// The longest first: 4096 numbers in one thread, four loads under way at a time, 0.3 us each from L2: 307 us. A load
// fetches 32 bytes for the 4 that it wants.
// TABLE: program 'train' on h100, 1.00 TB/s, estimated by counting:
// TABLE-NEXT: share
// TABLE-NEXT: {{ +[0-9.]+% +0.308 +1 +32 +4096 +0.02 +0.13 .*}} sum_rest (chain
// A thread per row of 32: its lanes are 32 numbers apart, so each of 32 x 1024 loads of a warp touches 32 sectors, in 32
// lines of L1, which at one a clock take 4.7 us. 4.2 MB must be read, 33.6 MB are asked for.
// TABLE-DAG: {{[0-9]+ +32768 +32 +4.33 +33.69 +1.08}}  rows (cache, load #0 uncoalesced by 32)
// TABLE-DAG: {{ 2 +1048576 +1 +8.39 +8.39 +1.00}}  double (memory)
// A warp per row keeps four numbers a lane: 512 KiB each way.
// TABLE-DAG: {{ 1 +32768 +8 +1.05 +1.05 +1.00}}  norm (memory)
// Rows of a table by numbers in memory: they are taken for different ones.
// TABLE-DAG: load #1 by data
// TABLE: step 0.{{[0-9]+}} ms: 6 launches {{.*}} 0 copies, 0 library calls

// JSON: "chip": "h100"
// JSON: "bandwidth_bytes_per_s": 1000000000000
// JSON: "is_estimate": true
// JSON: "name": "sum_rest"
// JSON: "threads_per_block": 32
// JSON: "serial_iterations": 4096
// JSON: "must_bytes": 16388
// JSON: "moved_bytes": 131104
// JSON: "name": "double"
// JSON: "count": 2
// JSON: "blocks": 4096
// JSON: "must_bytes": 8388608
// JSON: "stride": 1
// JSON: "name": "rows"
// JSON: "must_bytes": 4325376
// JSON: "moved_bytes": 33685504
// JSON: "stride": 32
// JSON: "uncoalesced": true

// LIMITS-DAG: program 'train' has 6 launches and copies: expected at most 5
// LIMITS-DAG: program 'train' has kernels that take {{.*}} times as long as their bytes: expected at most 1.5
// LIMITS-DAG: program 'train' spends {{.*}} % in 'sum_rest', which takes {{.*}} times as long as its bytes, by chain: expected at most 2
// LIMITS-DAG: program 'train' moves {{.*}} % of its bytes in 'rows' by uncoalesced loads of buffer #0: expected at most 1 %
// LIMITS-NOT: 'double'
module {
  func.func @train(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %m: memref<32768x32xf32>, %s: memref<32768xf32>, %v: memref<4096xf32>, %t: memref<f32>, %n: memref<1024x128xf32>, %o: memref<1024x128xf32>, %i: memref<512xi32>, %g: memref<512x64xf32>, %w: memref<9000x64xf32>, %arena: memref<64xi8>) attributes {soap.arena_bytes = 64 : i64} {
    soap.parallel_call @double extent 1048576 grain 16(%x, %y) : memref<1048576xf32>, memref<1048576xf32>
    soap.parallel_call @rows extent 32768 grain 1(%m, %s) : memref<32768x32xf32>, memref<32768xf32>
    soap.parallel_call @sum_rest extent 1 grain 1(%v, %t) : memref<4096xf32>, memref<f32>
    soap.parallel_call @norm extent 32768 grain 1(%n, %o) : memref<1024x128xf32>, memref<1024x128xf32>
    soap.parallel_call @gather extent 32768 grain 1(%i, %w, %g) : memref<512xi32>, memref<9000x64xf32>, memref<512x64xf32>
    soap.parallel_call @double extent 1048576 grain 16(%y, %x) : memref<1048576xf32>, memref<1048576xf32>
    return
  }
  func.func private @double(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %a = memref.load %x[%i] : memref<1048576xf32>
      %b = arith.addf %a, %a : f32
      memref.store %b, %y[%i] : memref<1048576xf32>
    }
    return
  }
  func.func private @rows(%x: memref<32768x32xf32>, %y: memref<32768xf32>, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %sum = scf.for %j = %c0 to %c32 step %c1 iter_args(%acc = %zero) -> (f32) {
        %a = memref.load %x[%i, %j] : memref<32768x32xf32>
        %b = arith.addf %acc, %a : f32
        scf.yield %b : f32
      }
      memref.store %sum, %y[%i] : memref<32768xf32>
    }
    return
  }
  func.func private @sum_rest(%x: memref<4096xf32>, %y: memref<f32>, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %j = %c0 to %c4096 step %c1 iter_args(%acc = %zero) -> (f32) {
      %a = memref.load %x[%j] : memref<4096xf32>
      %b = arith.addf %acc, %a : f32
      scf.yield %b : f32
    }
    memref.store %sum, %y[] : memref<f32>
    return
  }
  func.func private @norm(%x: memref<1024x128xf32>, %y: memref<1024x128xf32>, %begin: index, %end: index) attributes {soap.lanes} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %lane = arith.remui %i, %c32 : index
      %row = arith.divui %i, %c32 : index
      %first = arith.cmpi eq, %lane, %c0 : index
      scf.if %first {
        %sum = scf.for %j = %c0 to %c128 step %c1 iter_args(%acc = %zero) -> (f32) {
          %a = memref.load %x[%row, %j] : memref<1024x128xf32>
          %b = arith.addf %acc, %a : f32
          scf.yield %b : f32
        }
        scf.for %j = %c0 to %c128 step %c1 {
          %a = memref.load %x[%row, %j] : memref<1024x128xf32>
          %b = arith.subf %a, %sum : f32
          memref.store %b, %y[%row, %j] : memref<1024x128xf32>
        }
      } {soap.lanes}
    }
    return
  }
  func.func private @gather(%i: memref<512xi32>, %w: memref<9000x64xf32>, %y: memref<512x64xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %e = %begin to %end step %c1 {
      %row = arith.divui %e, %c64 : index
      %column = arith.remui %e, %c64 : index
      %n = memref.load %i[%row] : memref<512xi32>
      %k = arith.index_cast %n : i32 to index
      %a = memref.load %w[%k, %column] : memref<9000x64xf32>
      memref.store %a, %y[%row, %column] : memref<512x64xf32>
    }
    return
  }
}

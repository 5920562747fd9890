#include "IntegerProgram.h"
#include "Soap/Search/DevicePlacement/Latency.h"
using namespace soap;
using namespace soap::placement;
Expected<LatencyAnswer> placement::solveLatencyMilp(const Problem &,
                                                    const LatencyObjective &,
                                                    const Budget &) {
  return Error{"this build has no HiGHS"};
}

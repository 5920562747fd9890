// What a kernel costs.
int mostThings();
/// Nobody reads this, but for a test.
int twinOf(int x);  // the one who waits
const char *text = "those of others";
/// What is this? A question is no fault, and strings that hold no text are none: minima of mostly all.
// A loop is cut along its rows.

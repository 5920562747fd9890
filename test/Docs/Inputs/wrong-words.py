"""What this does."""


def fewestBytes():
    # a line that goes on and on and on and on and on and on and on and on and on and on and on and on and on to its end, long
    return "somebody", "a line of code, which may be longer than others, as long as it has to be; that is no fault", "no fault"

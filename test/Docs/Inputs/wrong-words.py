"""What this does."""


def fewestBytes():
    return "somebody"  # a line that goes on and on and on and on and on and on and on and on and on and on and on to its end

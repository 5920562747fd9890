#!/bin/sh
# A stand-in for a command that waits forever and leaves another one that holds its streams.
sleep 1000 &
wait

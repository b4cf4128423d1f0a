#!/bin/sh
exec cudalint "$@"

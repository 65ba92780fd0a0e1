// setup: tests start the program by `process.execPath`, which here is a Node without /proc.
import { assert } from "vitest"

process.execPath = process.env["OODA_NODE_WITHOUT_PROC"] ?? assert.fail("machine.ts has not run")

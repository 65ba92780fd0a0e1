// Who drives already is told in one line, with what to do.
import { assert, it } from "vitest"
import { AlreadyDriven } from "../../../src/drive/DriverLock.ts"

it.each([
  [{ pid: 7, since: "2030-06-01T00:00:00.000Z" }, /^this target is driven by process 7, since 2030.* \[watch .*\]$/],
  [null, /^this target is driven by another process \[watch .*stop .*\]$/]
])("%o", (who, message) => assert.match(new AlreadyDriven({ who }).message, message))

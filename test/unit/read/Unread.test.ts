// Where a run stands whose log could not be read.
import { assert, it } from "vitest"
import { unreadable } from "../../../src/read/Runs.ts"
import { LogDamaged, LogMissing, LogRewound } from "../../../src/log/EventLog.ts"

it("a log that cannot be read says why", () => {
  assert.deepStrictEqual(unreadable(new LogMissing({ path: "x" })), { kind: "Empty", text: "empty: no log" })
  const damaged = new LogDamaged({ path: "x", kind: "bad hash", line: 3, offset: 9 })
  assert.deepStrictEqual(unreadable(damaged), { kind: "Damaged", text: "damaged at line 3: bad hash" })
  const rewound = new LogRewound({ path: "x", kind: "rolled back" })
  assert.deepStrictEqual(unreadable(rewound), { kind: "Rewound", text: "the log was rolled back" })
})

// EventLog: the log in memory keeps the laws of every log.
import { describe } from "vitest"
import { layer } from "../../../../src/testing/memory/EventLog.ts"
import { runRef } from "../../run/events.ts"
import { eventLogLaws } from "../../fleet/eventLogLaws.ts"

describe("in memory", () => eventLogLaws(layer, () => runRef()))

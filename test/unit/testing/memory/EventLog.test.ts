// EventLog: the log in memory keeps the laws of every log.
import { describe } from "vitest"
import { layer } from "../../../../src/testing/memory/EventLog.ts"
import { runRef } from "../../core/run/events.ts"
import { eventLogLaws } from "../../services/eventLogLaws.ts"

describe("in memory", () => eventLogLaws(layer, () => runRef()))

// sarifShape: the part of the SARIF 2.1.0 schema that findings use, as checks: what may be there, what must, of what kind.
// The one rule: as in the schema, a property that is not named is wrong; nothing here knows how the log is written.
type Check = (value: unknown, at: string) => ReadonlyArray<string>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const kind = (name: string, holds: (value: unknown) => boolean): Check => (value, at) =>
  holds(value) ? [] : [`${at} is ${JSON.stringify(value)}, not ${name}`]

const text = kind("a text", (value) => typeof value === "string")
const flag = kind("true or false", (value) => typeof value === "boolean")
const from = (least: number) => kind(`a whole number from ${least}`, (value) => Number.isInteger(value) && Number(value) >= least)
const oneOf = (...names: ReadonlyArray<string>) =>
  kind(`one of ${names.join(", ")}`, (value) => typeof value === "string" && names.includes(value))
const reference = kind("a URI reference", (value) =>
  typeof value === "string" && /^(?:[\w.~!$&'()*+,;=:@/?#[\]-]|%[0-9A-F]{2})*$/i.test(value))
const bag = kind("an object", isObject)

const list = (check: Check): Check => (value, at) =>
  Array.isArray(value) ? value.flatMap((one, i) => check(one, `${at}[${i}]`)) : [`${at} is no list`]
const map = (check: Check): Check => (value, at) =>
  isObject(value) ? Object.entries(value).flatMap(([key, one]) => check(one, `${at}.${key}`)) : [`${at} is no object`]

const object = (properties: Readonly<Record<string, Check>>, ...required: ReadonlyArray<string>): Check => (value, at) => {
  if (!isObject(value)) return [`${at} is no object`]
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, one]) =>
      properties[name]?.(one, `${at}.${name}`) ?? (name === "properties" ? bag(one, `${at}.${name}`) : [`${at}.${name} is unknown`]))
  ]
}

const level = oneOf("none", "note", "warning", "error")
const message = object({ text, markdown: text, id: text, arguments: list(text) }, "text")
const described = object({ text, markdown: text }, "text")
const artifactLocation = object({ uri: reference, uriBaseId: text, index: from(-1), description: message })
const region = object({ startLine: from(1), endLine: from(1), startColumn: from(1), endColumn: from(1) })
const location = object({ id: from(-1), physicalLocation: object({ artifactLocation, region }), message })
const rule = object(
  { id: text, name: text, shortDescription: described, fullDescription: described, defaultConfiguration: object({ level }) },
  "id"
)
const driver = object({ name: text, version: text, semanticVersion: text, informationUri: reference, rules: list(rule) }, "name")
const notification = object({ message, level, locations: list(location), timeUtc: text }, "message")
const invocation = object(
  { executionSuccessful: flag, exitCode: kind("a whole number", Number.isInteger), toolExecutionNotifications: list(notification) },
  "executionSuccessful"
)
const suppression = object(
  { kind: oneOf("inSource", "external"), status: oneOf("accepted", "underReview", "rejected"), justification: text },
  "kind"
)
const result = object({
  ruleId: text,
  ruleIndex: from(-1),
  level,
  kind: oneOf("notApplicable", "pass", "fail", "review", "open", "informational"),
  message,
  locations: list(location),
  partialFingerprints: map(text),
  baselineState: oneOf("new", "unchanged", "updated", "absent"),
  suppressions: list(suppression)
}, "message")
const run = object({
  tool: object({ driver }, "driver"),
  automationDetails: object({ id: text }),
  originalUriBaseIds: map(artifactLocation),
  invocations: list(invocation),
  results: list(result)
}, "tool")
const log = object({ $schema: reference, version: oneOf("2.1.0"), runs: list(run) }, "version", "runs")

/** What is wrong with a SARIF log by the schema; none for a valid one. */
export const sarifProblems = (value: unknown): ReadonlyArray<string> => log(value, "log")

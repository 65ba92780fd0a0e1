// Question: a job of a runner is not asked, whatever terminal it has.
import { assert, it } from "vitest"
import { isRunner } from "../../../src/platform/Question.live.ts"

it.each([{ CI: "true" }, { CI: "1" }, { CI: "woodpecker" }, { BUILDKITE: "true" }, { TF_BUILD: "True" }, {
  JENKINS_URL: "http://ci/"
}])("%j is a runner", (env) => assert.isTrue(isRunner(env)))

it.each([{}, { CI: "" }, { CI: "0" }, { CI: "false" }, { CI: "FALSE" }, { GITHUB_ACTIONS: "" }])(
  "%j is a person's",
  (env) => assert.isFalse(isRunner(env))
)

import * as z from 'zod'
import type { Rule } from './kind.ts'
import type { Resource } from './resource.ts'

const keyOf = (what: string) =>
  z
    .object({
      name: z.string().min(1).max(253).describe('Its name.'),
      key: z.string().min(1).max(253).describe('The key whose value is taken.'),
      optional: z.boolean().optional().describe('True: without it there is no such variable. Else it is waited for.'),
    })
    .describe(what)

const variable = z.object({
  name: z
    .string()
    .min(1)
    .max(253)
    .regex(/^[-._a-zA-Z][-._a-zA-Z0-9]*$/)
    .describe('The name of the variable.'),
  value: z.string().optional().describe('Its value.'),
  valueFrom: z
    .object({
      secretKeyRef: keyOf('A Secret in the same namespace.').optional(),
      configMapKeyRef: keyOf('A ConfigMap in the same namespace.').optional(),
    })
    .optional()
    .describe('Where its value is, instead of value: exactly one of these.'),
})

/** Environment variables of an installer: the part of Kubernetes' form that means something without a Pod. */
export const installerEnv = z.array(variable).max(256).describe('Environment variables of the installer.')

type Variables = readonly z.infer<typeof variable>[]

interface WithVariables extends Resource {
  readonly spec: { readonly installerEnv?: Variables; readonly provisioning?: { readonly installerEnv?: Variables } }
}

/** What the schema of a pool's variables cannot say. */
export const poolVariables = rule('spec.installerEnv', ({ spec }) => spec.installerEnv)

/** What the schema of a cluster's variables cannot say. */
export const clusterVariables = rule('spec.provisioning.installerEnv', ({ spec }) => spec.provisioning?.installerEnv)

function rule(path: string, variablesOf: (object: WithVariables) => Variables | undefined): Rule<WithVariables> {
  return {
    path,
    message: 'a variable has either a value, or valueFrom with exactly one of secretKeyRef and configMapKeyRef',
    fix: 'give one of the three; there is no Pod whose fields a variable could take',
    holds: object => (variablesOf(object) ?? []).every(hasOneSource),
    cel: {
      at: path,
      expression:
        'self.all(v, !has(v.valueFrom) || ((!has(v.value) || v.value == "") && has(v.valueFrom.secretKeyRef) != has(v.valueFrom.configMapKeyRef)))',
    },
  }
}

function hasOneSource({ value = '', valueFrom }: Variables[number]): boolean {
  if (valueFrom === undefined) return true
  return value === '' && (valueFrom.secretKeyRef === undefined) !== (valueFrom.configMapKeyRef === undefined)
}

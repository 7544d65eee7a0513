import { z } from 'zod'

/** A kubeconfig as it is written, as far as it is used here. What else is in it is for other programs. */
const text = z.string().optional()
const flag = z.boolean().optional()

const cluster = z.object({
  server: z.string().regex(/^https?:\/\//, 'must begin with https:// or http://'),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': flag,
  'proxy-url': text,
  extensions: z.array(z.object({ name: z.string(), extension: z.unknown() })).nullish(),
})

const exec = z.object({
  apiVersion: text,
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: text,
  provideClusterInfo: flag,
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).optional(),
})

const user = z.object({
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  'as-uid': text,
  'as-groups': z.array(z.string()).nullish(),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
  exec: exec.nullish(),
  'auth-provider': z.object({ name: z.string() }).nullish(),
})

const context = z.object({ cluster: z.string(), user: text, namespace: text })

/** The schema of a kubeconfig file. */
export const kubeconfigFile = z.object({
  'current-context': text,
  clusters: z.array(z.object({ name: z.string(), cluster })).nullish(),
  users: z.array(z.object({ name: z.string(), user: user.nullish() })).nullish(),
  contexts: z.array(z.object({ name: z.string(), context })).nullish(),
})

export type ClusterEntry = z.infer<typeof cluster>
export type UserEntry = z.infer<typeof user>
export type ContextEntry = z.infer<typeof context>
export type ExecEntry = z.infer<typeof exec>

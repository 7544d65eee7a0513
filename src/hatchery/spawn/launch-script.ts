import { ScriptNotValid } from '../errors.ts'
import type { StarterModel } from '../models/starter-model.ts'
import { downloadScript } from './download-script.ts'
import { renderTemplate, type TemplateValues } from './go-template.ts'

/** What a script is made for. */
export interface ScriptOptions {
  readonly model: Pick<StarterModel, 'version' | 'name' | 'osArch' | 'preCmd' | 'cmd' | 'postCmd'>
  readonly registerOnly: boolean
  /** The API as workers see it. */
  readonly apiUrl: string
  /** The worker's configuration, as it is handed over in CDS_CONFIG. */
  readonly config: string
}

/** Where workers write their logs. */
const logs = { job: '/tmp/worker.log', register: '/tmp/worker.register.log' } as const

/** Variables that the original knows and leaves empty: a model may name them and finds nothing. */
const emptyVariables: TemplateValues = {
  Token: '',
  Name: '',
  BaseDir: '',
  HTTPInsecure: false,
  Model: '',
  HatcheryName: '',
  WorkflowJobID: 0,
  TTL: 0,
  GraylogHost: '',
  GraylogPort: 0,
  GraylogExtraKey: '',
  GraylogExtraValue: '',
  WorkerBinary: '',
  InjectEnvVars: '',
}

/** The script that starts a worker in its guest: the model's three commands, filled in. ScriptNotValid if they cannot be. */
export function launchScript({ model, registerOnly, apiUrl, config }: ScriptOptions): string {
  const values: TemplateValues = { ...emptyVariables, API: apiUrl, FromWorkerImage: true, Config: config }
  const preCmd = model.version === 2 && model.preCmd === '' ? downloadScript(model.osArch) : model.preCmd
  const cmd = registerOnly ? `${model.cmd} register 1>${logs.register} 2>&1` : `${model.cmd} 1>${logs.job} 2>&1;`
  return fill([preCmd, cmd, model.postCmd].join('\n'), model.name, values)
}

/** Whether a command that a guest shows is such a script. */
export function isLaunchScript(command: string): boolean {
  return Object.values(logs).some(file => command.includes(`1>${file}`))
}

/** A command of a model alone, filled in: what a template is prepared with. */
export function filledCommand(command: string, model: string, apiUrl: string): string {
  return fill(command, model, { ...emptyVariables, API: apiUrl, FromWorkerImage: true, Config: '' })
}

/** The two parts of a guest command that runs a script: vSphere hands both to a shell, so the script begins after the semicolon. */
export function inShell(script: string): { readonly program: string; readonly args: string } {
  return { program: '/bin/echo', args: `-n ;${script}` }
}

function fill(text: string, model: string, values: TemplateValues): string {
  try {
    return renderTemplate(text, values)
  } catch (error) {
    throw ScriptNotValid({ model, why: (error as Error).message, known: Object.keys(values).map(name => `{{.${name}}}`) })
  }
}

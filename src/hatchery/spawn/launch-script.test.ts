import { describe, expect, test } from 'vitest'
import { ScriptNotValid } from '../errors.ts'
import { filledCommand, inShell, launchScript } from './launch-script.ts'
import { renderTemplate } from './go-template.ts'

const v1 = {
  version: 1 as const,
  name: 'shared.infra/m',
  osArch: 'linux/amd64',
  preCmd: 'curl {{.API}}/download',
  cmd: './worker --config={{.Config}}',
  postCmd: 'sudo shutdown -h now',
}
const base = { apiUrl: 'http://cds:8081', config: 'a+b/c==', registerOnly: false }

describe('the script that starts a worker', () => {
  test('is the three commands of the model, with the worker’s output in a file', () => {
    expect(launchScript({ ...base, model: v1 })).toBe(
      'curl http://cds:8081/download\n./worker --config=a+b/c== 1>/tmp/worker.log 2>&1;\nsudo shutdown -h now',
    )
  })

  test('of a registration says so to the worker, and has no semicolon after it', () => {
    expect(launchScript({ ...base, model: v1, registerOnly: true })).toContain(
      './worker --config=a+b/c== register 1>/tmp/worker.register.log 2>&1\nsudo',
    )
  })

  test('fetches the worker first if the model is a V2 one', () => {
    const script = launchScript({ ...base, model: { ...v1, version: 2, preCmd: '', cmd: 'PATH=$PATH worker', osArch: 'linux/arm64' } })
    expect(script).toMatch(/^#!\/bin\/sh\n/)
    expect(script).toContain(
      'curl -L "http://cds:8081/download/worker/linux/arm64" -o /usr/local/bin/worker --retry 10 --retry-max-time 120',
    )
    expect(script).toContain('wget "http://cds:8081/download/worker/linux/arm64" -O /usr/local/bin/worker')
    expect(script).toContain('Missing requirements to download CDS worker binary.')
    expect(script).toContain('\nPATH=$PATH worker 1>/tmp/worker.log 2>&1;\nsudo shutdown -h now')
  })

  test('is given to a shell behind an echo of nothing', () => {
    expect(inShell('this is a script')).toEqual({ program: '/bin/echo', args: '-n ;this is a script' })
  })

  test('is plain text: nothing in a value is escaped', () => {
    expect(launchScript({ ...base, model: { ...v1, cmd: '{{.Config}}' }, config: `+&<>'"` })).toContain(`+&<>'" 1>`)
  })

  test('cannot use a variable that nobody knows, and the error says which there are', () => {
    const make = () => launchScript({ ...base, model: { ...v1, cmd: '{{.Nonsense}}' } })
    expect(make).toThrow(/shared\.infra\/m.*\{\{\.Nonsense\}\}/)
    expect(() => make()).toThrowError(expect.objectContaining({ code: ScriptNotValid.code, fix: expect.stringContaining('{{.API}}') }))
  })

  test('of a template is one command', () => {
    expect(filledCommand('echo {{.API}} {{.FromWorkerImage}}', 'm', 'http://cds')).toBe('echo http://cds true')
  })
})

describe('a template', () => {
  const values = { Yes: 'ja', No: '', N: 0, B: true }
  test.each([
    ['{{.Yes}}', 'ja'],
    ['{{ .Yes }}', 'ja'],
    ['{{.N}}|{{.B}}|{{.No}}', '0|true|'],
    ['a {{- .Yes -}} b', 'ajab'],
    ['{{/* nothing */}}x', 'x'],
    ['{{"{{"}}', '{{'],
    ['{{`{{`}}', '{{'],
    ['{{if .Yes}}a{{else}}b{{end}}', 'a'],
    ['{{if .No}}a{{else}}b{{end}}', 'b'],
    ['{{if .N}}a{{end}}c', 'c'],
    ['{{if not .No}}a{{end}}', 'a'],
    ['{{if .B}}{{if .No}}x{{else}}y{{end}}{{end}}z', 'yz'],
    ['$(date) ${HOME} {x}', '$(date) ${HOME} {x}'],
  ])('%s becomes %s', (template, text) => expect(renderTemplate(template, values)).toBe(text))

  test.each([
    '{{.toString}}',
    '{{.A.B}}',
    '{{range .X}}',
    '{{if .B}}',
    '{{end}}',
    '{{else}}',
    '{{',
    '{{.B',
    '{{if .B}}a{{else}}b{{else}}c{{end}}',
  ])('%s is refused', template => expect(() => renderTemplate(template, values)).toThrow(/variable|understood|belongs|has no|two|hold/))
})

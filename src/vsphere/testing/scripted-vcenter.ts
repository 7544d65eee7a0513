import { simulatedHttp, type Clock, type HttpClient, type ServedResponse } from '../../ports/index.ts'

const head =
  '<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
const tail = '</soapenv:Body></soapenv:Envelope>'

/** What a call is answered with: the inside of its response, or a whole HTTP response. */
export type Scripted = string | ServedResponse

/** A vCenter that answers as its script says, for what no simulator does: `script` gets the method, body and cookie of each call. */
export function scriptedVcenter(
  clock: Clock,
  script: (method: string, body: string, cookie: string) => Scripted | Promise<Scripted>,
): { readonly http: HttpClient; readonly calls: string[] } {
  const calls: string[] = []
  const http = simulatedHttp(
    async request => {
      const body = request.text()
      const method = /<soapenv:Body><(\w+)/.exec(body)?.[1] ?? ''
      calls.push(method)
      const answer = await script(method, body, request.headers['cookie'] ?? '')
      return typeof answer === 'string' ? response(method, answer) : answer
    },
    { clock },
  )
  return { http, calls }
}

/** A whole response, for what needs headers. */
export function response(method: string, inside: string): ServedResponse {
  return { status: 200, body: `${head}<${method}Response xmlns="urn:vim25">${inside}</${method}Response>${tail}` }
}

/** A refusal as vCenter writes it. */
export function refusal(fault: string, message = ''): ServedResponse {
  const detail = `<detail><${fault}Fault xmlns:xsi="x" xsi:type="${fault}"></${fault}Fault></detail>`
  return {
    status: 500,
    body: `${head}<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>${message}</faultstring>${detail}</soapenv:Fault>${tail}`,
  }
}

/** The answers that every script begins with. */
export const preliminaries: Readonly<Record<string, string>> = {
  RetrieveServiceContent:
    '<returnval><rootFolder type="Folder">group-d1</rootFolder><propertyCollector type="PropertyCollector">pc</propertyCollector>' +
    '<viewManager type="ViewManager">vm</viewManager><about><fullName>Scripted</fullName><version>8.0</version></about>' +
    '<sessionManager type="SessionManager">sm</sessionManager><taskManager type="TaskManager">tm</taskManager></returnval>',
  Login: '<returnval><key>session-1</key></returnval>',
  Logout: '',
  CurrentTime: '<returnval>2026-11-16T00:00:00Z</returnval>',
  CreatePropertyCollector: '<returnval type="PropertyCollector">own</returnval>',
  CreateFilter: '<returnval type="PropertyFilter">filter</returnval>',
  DestroyPropertyCollector: '',
}

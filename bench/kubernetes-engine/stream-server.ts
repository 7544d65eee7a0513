/** A worker that plays a recorded watch as fast as it is read. Tells its port, and what it was given to play. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** One event of a kind with two field managers, as kube-apiserver 1.35 sent it. */
const recorded = `{"type":"MODIFIED","object":{"apiVersion":"demo.aviary.dev/v1alpha1","kind":"Nest","metadata":{"annotations":{"note":"${'0123456789abcdef'.repeat(32)}"},"creationTimestamp":"2026-11-15T23:53:42Z","generation":1,"labels":{"all":"yes"},"managedFields":[{"apiVersion":"demo.aviary.dev/v1alpha1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:all":{}}},"f:spec":{".":{},"f:eggs":{},"f:material":{}}},"manager":"aviary","operation":"Update","time":"2026-11-15T23:53:42Z"},{"apiVersion":"demo.aviary.dev/v1alpha1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{".":{},"f:phase":{}}},"manager":"aviary","operation":"Update","subresource":"status","time":"2026-11-15T23:53:43Z"}],"name":"NAME","namespace":"bench","resourceVersion":"REVISION","uid":"cc953cf6-4e00-440d-9220-7cf18abe3088"},"spec":{"eggs":3,"material":"moss"},"status":{"phase":"Building"}}}\n`

const { events } = workerData as { readonly events: number }
const perPiece = 40
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  let sent = 0
  const play = () => {
    while (sent < events) {
      let piece = ''
      for (const end = Math.min(events, sent + perPiece); sent < end; sent++) {
        piece += recorded.replace('NAME', `nest-${sent % 10_000}`).replace('REVISION', String(1000 + sent))
      }
      if (!response.write(piece)) return void response.once('drain', play)
    }
    response.end()
  }
  play()
})
server.listen(0, '127.0.0.1', () =>
  parentPort?.postMessage({ port: (server.address() as AddressInfo).port, eventBytes: recorded.length }, []),
)

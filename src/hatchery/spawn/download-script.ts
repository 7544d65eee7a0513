/** What a guest does first for a V2 model: it fetches the worker, with whatever it has to fetch with. */
export function downloadScript(osArch: string): string {
  const from = `"{{.API}}/download/worker/${osArch}"`
  const more = '>> /tmp/cds-worker-setup.log 2>&1 && chmod +x /usr/local/bin/worker'
  return `#!/bin/sh
if command -v curl >/dev/null 2>&1; then
  curl -L ${from} -o /usr/local/bin/worker --retry 10 --retry-max-time 120 ${more}
elif command -v wget >/dev/null 2>&1; then
  wget ${from} -O /usr/local/bin/worker ${more}
else
  echo "Missing requirements to download CDS worker binary."
  exit 1
fi`
}

{{- /* The settings of replicas. Their checksum is in the pod template, so that a change replaces the pods. */}}
{{- define "whence.settings" -}}
WHENCE_DATASET_URL: {{ .Values.datasetUrl | default (printf "http://%s-datasets/" .Release.Name) | quote }}
WHENCE_PUBLIC_URL: {{ .Values.publicUrl | quote }}
WHENCE_TRUST_PROXY: {{ .Values.trustProxy | quote }}
WHENCE_FIRST_KEY: "off"
WHENCE_WORKERS: {{ .Values.workers | quote }}
# More than period × failures of the readiness probe.
WHENCE_SHUTDOWN_DELAY: {{ .Values.shutdownDelay | quote }}
{{- if .Values.dns.enabled }}
WHENCE_DNS_LISTEN: "0.0.0.0:5353"
WHENCE_DNS_ZONE: {{ .Values.dns.zone | quote }}
{{- with .Values.dns.allow }}
WHENCE_DNS_ALLOW: {{ . | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- /* Where pods run, and how their images are fetched. */}}
{{- define "whence.placement" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- end }}

{{- /* The port of a URL: 80 or 443 by its scheme if it names none. */}}
{{- define "whence.port" -}}
{{- $url := urlParse . }}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "80" "443" (eq $url.scheme "http")) }}
{{- end }}

{{- define "tapedeck.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "tapedeck.selector" -}}
app.kubernetes.io/name: tapedeck
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "tapedeck.labels" -}}
{{ include "tapedeck.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "tapedeck.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag }}{{ end }}
{{- end }}

{{- /* Of a pod: who it is, and who may do nothing. */}}
{{- define "tapedeck.pod" -}}
serviceAccountName: {{ include "tapedeck.name" . | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tapedeck.container" -}}
image: {{ include "tapedeck.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "tapedeck.secret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: { name: {{ .secret | quote }}, key: {{ .key | default .name | quote }}, optional: {{ .optional | default false }} }
{{- end }}

{{- /* What api and workers share. Later ones win, so what a Deployment needs cannot be undone by .Values.settings. */}}
{{- define "tapedeck.env" -}}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
- { name: PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- { name: TEMPORAL_ADDRESS, value: {{ .Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.temporal.namespace | quote }} }
- { name: TASK_QUEUE, value: {{ .Values.temporal.taskQueue | quote }} }
{{- with .Values.temporal.tls }}
- { name: TEMPORAL_TLS, value: {{ .enabled | quote }} }
{{- if .clientSecret }}
- { name: TEMPORAL_TLS_CERT_FILE, value: /etc/temporal/client/tls.crt }
- { name: TEMPORAL_TLS_KEY_FILE, value: /etc/temporal/client/tls.key }
{{- end }}
{{- if .caSecret }}
- { name: TEMPORAL_TLS_CA_FILE, value: /etc/temporal/ca/ca.crt }
{{- end }}
{{- if .serverName }}
- { name: TEMPORAL_TLS_SERVER_NAME, value: {{ .serverName | quote }} }
{{- end }}
{{- end }}
{{- with .Values.temporal.apiKey }}
{{- if .secret }}
{{ include "tapedeck.secret" (dict "name" "TEMPORAL_API_KEY" "secret" .secret "key" .key) }}
{{- end }}
{{- end }}
- { name: FILES_STORE, value: {{ .Values.files.store }} }
{{- if eq .Values.files.store "s3" }}
- { name: S3_ENDPOINT, value: {{ .Values.files.endpoint | quote }} }
- { name: S3_BUCKET, value: {{ .Values.files.bucket | quote }} }
- { name: S3_REGION, value: {{ .Values.files.region | quote }} }
{{- end }}
- { name: METRICS_HOST, value: 0.0.0.0 }
{{- range tuple "LINK_SECRET" "MONGODB_URI" }}
{{ include "tapedeck.secret" (dict "name" . "secret" $.Values.existingSecret) }}
{{- end }}
{{- range .Values.optionalSecrets }}
{{ include "tapedeck.secret" (dict "name" . "secret" $.Values.existingSecret "optional" true) }}
{{- end }}
{{- end }}

{{- define "tapedeck.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- if .Values.temporal.tls.clientSecret }}
- { name: temporal-client, mountPath: /etc/temporal/client, readOnly: true }
{{- end }}
{{- if .Values.temporal.tls.caSecret }}
- { name: temporal-ca, mountPath: /etc/temporal/ca, readOnly: true }
{{- end }}
{{- with .Values.extraMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Takes the chart's root and the size of the folder of work in progress. */}}
{{- define "tapedeck.volumes" -}}
- name: data
{{- if eq .root.Values.files.store "disk" }}
  persistentVolumeClaim: { claimName: {{ .root.Values.files.claim | quote }} }
{{- else }}
  emptyDir: { sizeLimit: {{ .size | quote }} }
{{- end }}
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
{{- with .root.Values.temporal.tls }}
{{- if .clientSecret }}
- name: temporal-client
  secret: { secretName: {{ .clientSecret | quote }}, defaultMode: 288 }
{{- end }}
{{- if .caSecret }}
- name: temporal-ca
  secret: { secretName: {{ .caSecret | quote }}, defaultMode: 288, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

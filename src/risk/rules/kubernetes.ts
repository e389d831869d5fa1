// A table: exempt from the file length limit.
// Clusters: what runs in them, and the clusters themselves.

import { type Call, findOption, optionValue } from '../call.ts'
import type { RulePack, TestResult } from '../rule.ts'

const KUBECTL = 'kubectl oc k3s microk8s kubecolor k'

export const kubernetes: RulePack = {
  name: 'kubernetes',
  about: 'Clusters, their resources and Helm releases.',
  rules: [
    {
      id: 'kubernetes/delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes resources of a cluster and their dependents.',
      alternative: 'kubectl delete --dry-run=client lists them. kubectl get -o yaml keeps a copy.',
      owasp: 'ASI02',
      when: { program: KUBECTL, test: deletesResource },
      match: [
        'kubectl delete namespace prod',
        'kubectl -n prod delete deployment/api',
        'kubectl delete -f k8s/',
        'oc delete project x',
        'kubectl --context c delete pvc --all',
        'k3s kubectl delete node n1',
      ],
      pass: [
        'kubectl get pods',
        'kubectl delete pod x --dry-run=server',
        'kubectl describe pod delete',
        'kubectl explain delete',
        'kubectl logs delete',
      ],
    },
    {
      id: 'kubernetes/disrupt',
      effect: 'deploy-affecting',
      tier: 3,
      reason: 'Reduces capacity, or replaces running resources.',
      alternative: 'kubectl diff shows what would change.',
      owasp: 'ASI08',
      when: {
        program: KUBECTL,
        sub: [
          'drain|cordon|taint|scale|replace|patch|edit|label|annotate|set|autoscale|expose|cp|evict',
          'rollout undo|restart|pause|resume',
        ],
        test: disrupts,
      },
      match: [
        'kubectl drain node-1',
        'kubectl scale deploy/api --replicas=0',
        'kubectl rollout undo deploy/api',
        'kubectl replace --force -f x.yaml',
      ],
      pass: [
        'kubectl rollout status deploy/api',
        'kubectl get nodes',
        'kubectl diff -f x',
        'kubectl scale deploy/api --replicas=3 --dry-run=client',
      ],
    },
    {
      id: 'kubernetes/apply',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Changes a cluster.',
      alternative: 'kubectl diff -f shows what would change.',
      owasp: 'ASI02',
      when: { program: KUBECTL, sub: 'apply|create|run', test: (call) => touchesProduction(call) },
      match: ['kubectl apply -f k8s/', 'kubectl create ns x', 'kubectl -n prod apply -f a.yaml'],
      pass: ['kubectl apply --dry-run=client -f x', 'kubectl get -f x'],
    },
    {
      id: 'kubernetes/helm-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Removes a release with all its resources.',
      alternative: 'helm uninstall --dry-run lists them. helm get all keeps a copy.',
      owasp: 'ASI02',
      when: { program: 'helm helmfile', sub: 'uninstall|delete|del|un|destroy' },
      match: ['helm uninstall api', 'helm -n prod delete api', 'helmfile destroy'],
      pass: ['helm list', 'helm uninstall api --dry-run', 'helm status api', 'helm template x'],
    },
    {
      id: 'kubernetes/helm-deploy',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Changes a cluster.',
      alternative: 'helm upgrade --dry-run, or helm diff, shows what would change.',
      owasp: 'ASI02',
      when: {
        program: 'helm helmfile',
        sub: 'install|upgrade|rollback|apply|sync',
        unless: ['--dry-run'],
        test: (call) => touchesProduction(call),
      },
      match: ['helm upgrade api ./chart', 'helm rollback api 3', 'helmfile apply'],
      pass: ['helm upgrade api ./chart --dry-run', 'helm lint', 'helm diff upgrade api .'],
    },
    {
      id: 'kubernetes/cluster-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes a cluster, an application, a backup or a GitOps resource.',
      owasp: 'ASI02',
      when: {
        program:
          'argocd flux velero eksctl kops istioctl linkerd k3d kind minikube kubeadm crossplane vcluster rancher talosctl etcdctl',
        test: deletesCluster,
      },
      match: [
        'argocd app delete api',
        'flux uninstall',
        'velero backup delete nightly',
        'eksctl delete cluster x',
        'kops delete cluster --yes',
        'kubeadm reset -f',
        'etcdctl del "" --from-key=true',
        'istioctl uninstall --purge',
      ],
      pass: [
        'argocd app list',
        'flux get all',
        'velero backup get',
        'kind delete cluster',
        'minikube delete',
        'kops delete cluster x',
        'etcdctl get x',
        'k3d cluster delete dev',
      ],
    },
  ],
}

function deletesResource(call: Call): TestResult {
  const at = call.operands[0]?.text === 'kubectl' ? 1 : 0
  const verb = call.operands[at]
  if (verb?.text !== 'delete') return undefined
  const what = call.operands[at + 1]?.text.split('/')[0] ?? ''
  const isAll = findOption(call, ['--all', '-A', '--all-namespaces', '-l', '--selector']) !== undefined
  // A pod, job or event is made again by what owns it.
  const isFleeting = ['pod', 'pods', 'po', 'job', 'jobs', 'event', 'events'].includes(what) && !isAll
  return isFleeting ? { at: verb.span, isUncertain: true } : verb
}

function disrupts(call: Call): TestResult {
  const verb = call.operands[0]
  const isNone = verb?.text === 'scale' && optionValue(call, ['--replicas']) === '0'
  const isForced = verb?.text === 'replace' && findOption(call, ['--force']) !== undefined
  if (isNone || isForced || verb?.text === 'drain' || verb?.text === 'evict')
    return { at: call.command.span, tier: 4, isUncertain: true }
  return verb ?? true
}

// A cluster for trying out is put right again; production is what others use.
function touchesProduction(call: Call): TestResult {
  const word = call.command.args.find(({ text }) =>
    text.split(/[^a-z0-9]+/i).some((part) => part === 'prod' || part === 'production' || part === 'live'),
  )
  return word ?? { at: call.command.span, tier: 3 }
}

const DELETES = new Set(['delete', 'del', 'uninstall', 'destroy', 'remove', 'rm', 'purge', 'reset'])

function deletesCluster(call: Call): TestResult {
  // Clusters on one's own machine are made for trying out.
  if (['kind', 'minikube', 'k3d'].includes(call.name)) return undefined
  const verb = call.operands.slice(0, 3).find(({ text }) => DELETES.has(text))
  if (verb === undefined) return undefined
  if (call.name === 'kops' && findOption(call, ['--yes', '-y']) === undefined) return undefined
  return verb
}

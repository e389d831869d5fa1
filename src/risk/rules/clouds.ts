// A table: exempt from the file length limit.
// The command lines of clouds. Their verbs are regular, so a few rules about verbs cover thousands of commands.

import { type Call, findOption } from '../call.ts'
import { compileNames, type RulePack, type TestResult } from '../rule.ts'

const LOOK = 'List or describe it first. Ask the user to delete it.'

export const clouds: RulePack = {
  name: 'clouds',
  about: 'AWS, Google Cloud, Azure and other clouds.',
  rules: [
    {
      id: 'clouds/aws-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes or terminates AWS resources.',
      alternative: LOOK,
      owasp: 'ASI02',
      when: { program: 'aws awslocal', test: awsDeletes },
      match: [
        'aws ec2 terminate-instances --instance-ids i-1',
        'aws rds delete-db-instance --db-instance-identifier x',
        'aws --profile p s3api delete-bucket --bucket b',
        'aws kms schedule-key-deletion --key-id k',
        'aws ecs deregister-task-definition --task-definition t',
        'aws sqs purge-queue --queue-url q',
        'aws dynamodb delete-table --table-name t',
      ],
      pass: [
        'aws ec2 describe-instances',
        'aws s3 ls',
        'aws ec2 terminate-instances --dry-run --instance-ids i',
        'aws logs tail delete-log',
        'aws iam get-user',
        'aws rds delete-db-instance help',
      ],
    },
    {
      id: 'clouds/aws-storage',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes objects or a whole bucket.',
      alternative: 'aws s3 rm --dryrun lists the objects.',
      owasp: 'ASI02',
      when: {
        program: 'aws awslocal',
        sub: 's3 rm|rb|sync|mv',
        unless: ['--dryrun|--dry-run'],
        test: (call) => {
          const verb = call.operands[1]?.text
          if (verb === 'rb') return call.operands[1]
          if (verb === 'rm') return findOption(call, ['--recursive'])?.word ?? { at: call.command.span, tier: 3 }
          return findOption(call, ['--delete'])?.word
        },
      },
      match: ['aws s3 rm s3://b --recursive', 'aws s3 rb s3://b --force', 'aws s3 sync . s3://b --delete'],
      pass: ['aws s3 cp a s3://b', 'aws s3 rm s3://b --recursive --dryrun', 'aws s3 sync . s3://b'],
    },
    {
      id: 'clouds/aws-change',
      effect: 'deploy-affecting',
      tier: 3,
      reason: 'Changes AWS resources.',
      owasp: 'ASI02',
      when: {
        program: 'aws awslocal',
        verb: 'create-* update-* put-* modify-* attach-* detach-* stop-* start-* reboot-* run-* set-* enable-* disable-* revoke-* authorize-* associate-* disassociate-* deploy invoke restore-* tag-* untag-* add-* reset-* cancel-* register-*',
        test: (call) => call.operands[1],
      },
      match: ['aws lambda update-function-code --function-name f', 'aws ec2 stop-instances --instance-ids i'],
      pass: ['aws ec2 describe-instances', 'aws s3 ls'],
    },
    {
      id: 'clouds/aws-secrets',
      effect: 'read-only',
      tier: 3,
      reason: 'Prints a secret.',
      owasp: 'ASI03',
      when: {
        program: 'aws',
        sub: [
          'secretsmanager get-secret-value',
          'ssm get-parameter|get-parameters',
          'iam create-access-key',
          'kms decrypt',
        ],
        test: (call) =>
          call.operands[0]?.text === 'ssm' ? findOption(call, ['--with-decryption'])?.word : call.operands[1],
      },
      match: ['aws secretsmanager get-secret-value --secret-id x', 'aws ssm get-parameter --name x --with-decryption'],
      pass: ['aws secretsmanager list-secrets', 'aws ssm get-parameter --name x'],
    },
    {
      id: 'clouds/google-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes Google Cloud resources.',
      alternative: LOOK,
      owasp: 'ASI02',
      when: { program: 'gcloud gsutil bq', test: googleDeletes },
      match: [
        'gcloud compute instances delete vm1',
        'gcloud projects delete p',
        'gsutil -m rm -r gs://b',
        'gsutil rb gs://b',
        'bq rm -r -f d',
        'gcloud sql instances delete x -q',
        'gcloud storage rm -r gs://b',
        'gcloud kms keys versions destroy 1',
        'gsutil rsync -d a gs://b',
      ],
      pass: [
        'gcloud compute instances list',
        'gsutil ls gs://b',
        'bq ls',
        'gcloud compute instances describe delete',
        'gcloud compute instances delete --help',
        'gsutil rsync -n -d a gs://b',
      ],
    },
    {
      id: 'clouds/azure-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes Azure resources.',
      alternative: LOOK,
      owasp: 'ASI02',
      when: { program: 'az azcopy azd', test: azureDeletes },
      match: [
        'az group delete -n rg --yes',
        'az vm delete -g rg -n vm',
        'az storage blob delete-batch -s c',
        'az keyvault purge -n k',
        'azcopy remove https://x/y',
        'azcopy sync a https://x --delete-destination=true',
        'azd down --purge',
        'az vm deallocate -g r -n v',
        'az storage blob sync --delete-destination true',
      ],
      pass: [
        'az vm list',
        'az group show -n rg',
        'az group delete --help',
        'azcopy list x',
        'azcopy sync a https://x --delete-destination=false',
        'az account show',
      ],
    },
    {
      id: 'clouds/other-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes resources of a cloud provider.',
      alternative: LOOK,
      owasp: 'ASI02',
      when: {
        program:
          'doctl linode-cli hcloud vultr-cli vultr scw exo ibmcloud oci openstack nova civo upctl metal railway render koyeb northflank nixops aliyun tccli qovery gridscale cloudscale ovhcloud tencentcloud',
        test: (call) => otherDeletes(call),
      },
      match: [
        'doctl compute droplet delete 1 -f',
        'hcloud server delete web',
        'linode-cli linodes delete 1',
        'oci compute instance terminate --instance-id x',
        'openstack server delete web',
        'scw instance server terminate 1',
        'ibmcloud ks cluster rm -c x',
        'aliyun ecs DeleteInstance --InstanceId i',
        'doctl databases delete x',
      ],
      pass: [
        'doctl compute droplet list',
        'hcloud server list',
        'oci compute instance list',
        'openstack server show delete',
        'hcloud server describe rm',
      ],
    },
    {
      id: 'clouds/deploy',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Deploys.',
      owasp: 'ASI02',
      when: {
        program: 'gcloud az doctl railway render koyeb azd',
        verb: 'deploy up',
        test: (call) => {
          const at = call.operands.findIndex(({ text }) => text === 'deploy' || text === 'up')
          return at >= 0 && at < 3 ? call.operands[at] : undefined
        },
      },
      match: ['gcloud app deploy', 'gcloud run deploy api --image x', 'railway up'],
      pass: ['gcloud app describe', 'gcloud run services list'],
    },
  ],
}

const AWS_VERBS = compileNames(
  'delete-* terminate-* remove-* deregister-* purge-* batch-delete-* schedule-key-deletion disable-key destroy-* release-* empty-* rb leave-organization close-account deactivate-mfa-device disassociate-kms-key stop-db-cluster force-delete-* abort-* reset-cache-cluster modify-db-instance-delete delete',
)
// They undo little things: a message, a tag, a permission of one user.
const AWS_SMALL = new Set([
  'delete-message',
  'delete-message-batch',
  'delete-tags',
  'remove-tags',
  'remove-tags-from-resource',
  'abort-multipart-upload',
  'remove-user-from-group',
  'remove-targets',
  'remove-permission',
  'release-address',
  'deregister-targets',
])

function awsDeletes(call: Call): TestResult {
  const [service, verb, third] = call.operands
  if (service === undefined || verb === undefined || third?.text === 'help') return undefined
  if (!AWS_VERBS(verb.text) || service.text === 's3') return undefined
  return AWS_SMALL.has(verb.text) ? { at: verb.span, tier: 3 } : verb
}

const GOOGLE_VERBS = new Set([
  'delete',
  'destroy',
  'remove',
  'rm',
  'purge',
  'delete-access-config',
  'remove-iam-policy-binding',
  'reset',
  'disable',
  'abandon-instances',
  'delete-instances',
])
const READING = new Set([
  'list',
  'describe',
  'show',
  'get',
  'info',
  'status',
  'search',
  'help',
  'view',
  'inspect',
  'logs',
  'export',
  'ls',
  'cat',
  'stat',
  'lookup',
  'explain',
])

function googleDeletes(call: Call): TestResult {
  const has = (...names: string[]) => findOption(call, names) !== undefined
  const words = call.operands
  if (call.name === 'gsutil') {
    const verb = words[0]
    if (verb?.text === 'rb') return verb
    if (verb?.text === 'rm')
      return has('-r', '-R', '-a') || words.some(({ isGlob, text }) => isGlob || text.includes('*'))
        ? verb
        : { at: verb.span, tier: 3 }
    return verb?.text === 'rsync' && has('-d') && !has('-n') ? verb : undefined
  }
  if (call.name === 'bq') return words[0]?.text === 'rm' ? words[0] : undefined
  const verb = verbBefore(words, GOOGLE_VERBS)
  if (verb === undefined) return undefined
  return verb.text === 'reset' || verb.text === 'disable' || verb.text.startsWith('remove-iam')
    ? { at: verb.span, isUncertain: true }
    : verb
}

// The first word that is a verb decides: `describe delete` reads.
function verbBefore(words: Call['operands'], verbs: ReadonlySet<string>) {
  for (const word of words.slice(0, 6)) {
    if (READING.has(word.text)) return undefined
    if (verbs.has(word.text)) return word
  }
  return undefined
}

const AZURE_VERBS = new Set([
  'delete',
  'purge',
  'delete-batch',
  'remove',
  'deallocate',
  'delete-by-etag',
  'delete-policy',
  'destroy',
  'stop',
  'reset',
])

function azureDeletes(call: Call): TestResult {
  if (call.name === 'azcopy' && ['remove', 'rm'].includes(call.operands[0]?.text ?? '')) return call.operands[0]
  if (call.name === 'azd') return call.operands[0]?.text === 'down' ? call.operands[0] : undefined
  const flag = findOption(call, ['--delete-destination'])
  if (flag !== undefined || call.name === 'azcopy') return flag?.word
  const verb = verbBefore(call.operands, AZURE_VERBS)
  if (verb === undefined) return undefined
  return verb.text === 'stop' || verb.text === 'reset' ? { at: verb.span, isUncertain: true } : verb
}

const OTHER_VERBS = new Set([
  'delete',
  'rm',
  'remove',
  'destroy',
  'terminate',
  'purge',
  'd',
  'del',
  'down',
  'unset',
  'erase',
  'wipe',
  'instance-terminate',
])
const OTHER_NAMES = compileNames(
  'delete-* destroy-* terminate-* Delete* Terminate* Release* bulk-delete *-delete *-rm *-destroy',
)

function otherDeletes(call: Call): TestResult {
  for (const word of call.operands.slice(0, 5)) {
    if (READING.has(word.text)) return undefined
    if (OTHER_VERBS.has(word.text) || OTHER_NAMES(word.text)) return word
  }
  return undefined
}

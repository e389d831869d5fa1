// A table: exempt from the file length limit.
// How programs parse their arguments: which options take a value, so that a value is not parsed as a subcommand or file.
// A program without a row has no known options with values.

/** How one program reads its arguments. */
export interface Grammar {
  /** Options with a value before (or without) a subcommand. */
  readonly values: ReadonlySet<string>
  /** Options with a value that mean the same after any subcommand. */
  readonly everywhere: ReadonlySet<string>
  /** Options with a value, by subcommand. */
  readonly subs?: ReadonlyMap<string, ReadonlySet<string>> | undefined
  /** Long options may be abbreviated, as in GNU programs and git. */
  readonly abbreviates?: boolean | undefined
  /** Long options have one dash: `terraform -destroy`. */
  readonly isDashLong?: boolean | undefined
  /** Arguments after the first operand belong to another program. */
  readonly isStoppedByOperand?: boolean | undefined
  /** `-h` means help, not a host. */
  readonly hasShortHelp?: boolean | undefined
  /** Options for a dry run. */
  readonly dry: readonly string[]
}

interface Row {
  readonly programs: string
  readonly values?: string
  readonly subs?: Readonly<Record<string, string>>
  readonly abbreviates?: true
  readonly isDashLong?: true
  readonly isStoppedByOperand?: true
  readonly hasShortHelp?: true
  readonly dry?: string
}

const DRY = '--dry-run --dryrun --what-if --whatif --simulate --just-print --no-act --noop'

const ROWS: readonly Row[] = [
  {
    programs: 'git',
    values: '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source',
    abbreviates: true,
    hasShortHelp: true,
    subs: {
      add: '--chmod --pathspec-from-file',
      branch: '-u --set-upstream-to --contains --no-contains --merged --no-merged --points-at --sort --format',
      checkout: '-b -B --orphan --conflict --pathspec-from-file',
      clean: '-e --exclude',
      commit:
        '-m -F -C -c -t --message --file --author --date --reuse-message --reedit-message --fixup --squash --template --trailer --cleanup --pathspec-from-file',
      'filter-branch':
        '--setup --subdirectory-filter --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter --original -d --state-branch',
      'filter-repo':
        '--path --path-glob --path-regex --replace-text --message-callback --blob-callback --commit-callback',
      gc: '--prune',
      grep: '-e -f -m -A -B -C --max-depth --max-count --threads',
      log: '-n -S -G -L --author --grep --since --until --after --before --format --pretty --max-count --skip',
      merge: '-m -s -X -F --message --strategy --strategy-option --into-name',
      notes: '-m -F --ref',
      push: '-o --push-option --repo --receive-pack --exec',
      rebase: '-x --exec -s -X --onto --strategy --strategy-option',
      reflog: '--expire --expire-unreachable',
      replace: '',
      reset: '--pathspec-from-file',
      restore: '-s --source --conflict --pathspec-from-file',
      revert: '-m --mainline -X --strategy-option',
      rm: '--pathspec-from-file',
      stash: '-m --message --pathspec-from-file',
      switch: '-c -C --create --force-create --orphan --conflict',
      tag: '-m -F -u --message --file --local-user --sort --format --contains --points-at',
      'update-ref': '-m',
      worktree: '-b -B --reason --expire',
      'cherry-pick': '-m --mainline -X --strategy-option',
      'for-each-ref': '--format --sort --count',
      'read-tree': '--prefix --index-output',
      'checkout-index': '--prefix --stage',
    },
  },
  {
    programs: 'head tail nl od strings sort uniq cut wc cmp diff less more split',
    values:
      '-t --target-directory -S --suffix -m --mode -s --size --reference -n --lines -c --bytes -k --key -d --delimiter -f --fields -o --output -e --regexp --expression --file --include --exclude --exclude-dir -A -B -C --context --iterations --group --owner --random-source',
    abbreviates: true,
    dry: '',
  },
  {
    programs: 'rm rmdir unlink ls mkdir touch cp mv chown chgrp',
    values: '-t --target-directory -S --suffix --reference',
    abbreviates: true,
    dry: '',
  },
  {
    programs: 'ln install',
    values: '-S -t -g -m -o --suffix --target-directory --group --mode --owner',
    abbreviates: true,
    dry: '',
  },
  { programs: 'chmod', values: '--reference', abbreviates: true, dry: '' },
  { programs: 'shred', values: '-n -s --iterations --size --random-source', abbreviates: true, dry: '' },
  { programs: 'truncate', values: '-s -r --size --reference', abbreviates: true, dry: '' },
  { programs: 'tee', values: '--output-error', abbreviates: true, dry: '' },
  { programs: 'cat tac', values: '', abbreviates: true, dry: '' },
  { programs: 'base64 base32 basenc', values: '-w --wrap', abbreviates: true, dry: '' },
  {
    programs: 'rg ag',
    values: '-e -f -m -A -B -C -g -t -T -j -r --regexp --file --max-count --glob --type --context --replace --color',
    dry: '',
  },
  {
    programs: 'grep egrep fgrep',
    values: '-e -f -m -A -B -C --regexp --file --max-count --include --exclude --exclude-dir --context --color',
    dry: '',
  },
  { programs: 'sed', values: '-e -f -l --expression --file --line-length', abbreviates: true, dry: '' },
  {
    programs: 'tar',
    values:
      '-f -C -X -T -b --file --directory --exclude --exclude-from --files-from --transform --owner --group --to-command --checkpoint-action -I --use-compress-program',
    dry: '',
  },
  {
    programs: 'rsync',
    values:
      '-e -f -B -M --rsh --filter --exclude --include --exclude-from --include-from --files-from --partial-dir --backup-dir --suffix --chmod --chown --bwlimit --port --password-file --rsync-path --out-format --log-file --temp-dir --compare-dest --copy-dest --link-dest --max-size --min-size --timeout --contimeout',
    dry: '--dry-run -n --list-only',
  },
  { programs: 'scp', values: '-i -P -F -o -l -c -S -J -D -X' },
  { programs: 'sftp', values: '-i -P -F -o -l -c -S -J -D -b -B -R -s' },
  {
    programs: 'ssh',
    values: '-i -p -F -o -l -c -J -D -L -R -W -w -b -E -e -I -m -O -Q -S -B',
    isStoppedByOperand: true,
  },
  {
    programs: 'curl',
    values:
      '-A -b -c -C -d -D -e -E -F -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --abstract-unix-socket --user-agent --cookie --cookie-jar --continue-at --data --data-ascii --data-binary --data-raw --data-urlencode --dump-header --referer --cert --cacert --capath --key --form --form-string --header --config --max-time --connect-timeout --output --output-dir --ftp-port --quote --range --telnet-option --upload-file --user --proxy-user --write-out --proxy --request --request-target --resolve --retry --retry-delay --retry-max-time --speed-limit --speed-time --time-cond --url --url-query --interface --limit-rate --max-filesize --max-redirs --noproxy --oauth2-bearer --unix-socket --json --aws-sigv4 --create-file-mode --variable --expand-data --expand-url',
    dry: '',
  },
  {
    programs: 'wget',
    values:
      '-O -o -a -P -e -i -U -t -T -w -Q -l -A -R -D -I -X -B --output-document --output-file --append-output --directory-prefix --execute --input-file --user-agent --tries --timeout --wait --quota --level --accept --reject --domains --header --post-data --post-file --body-data --body-file --method --user --password --referer --load-cookies --save-cookies --base --limit-rate --ca-certificate --certificate --private-key --proxy-user --proxy-password',
    dry: '--spider',
  },
  {
    programs: 'http https xh',
    values: '-a --auth --auth-type -o --output -s --style --session --proxy --timeout --verify -A',
    dry: '--offline',
  },
  {
    programs: 'nc ncat netcat',
    values:
      '-e -c -p -s -w -q -i -g -G -x -X -I -O -P -T -V --exec --sh-exec --lua-exec --source-port --wait --idle-timeout --proxy --proxy-type --proxy-auth -m --max-conns --allow --deny --ssl-cert --ssl-key',
  },
  { programs: 'socat', values: '-T -t -b -L -W -lf -lp' },
  { programs: 'openssl', values: '' },
  {
    programs: 'docker podman nerdctl',
    values:
      '-H -c -l --host --context --config --log-level --connection --url --identity -f --filter --format --file -n --name --namespace -v --volume --mount -e --env --env-file -p --publish -w --workdir -u --user --network --net --entrypoint --label -t --tag --build-arg --target --platform --memory -m --cpus --restart --hostname -h --add-host --cap-add --cap-drop --device --gpus --ulimit --security-opt --pid --ipc --userns --shm-size --stop-timeout --tmpfs --log-driver --log-opt --link --dns --ip --group-add --runtime --cidfile --pull --since --until --tail --time --project-name --project-directory --profile --scale --timeout --index --type --signal -s --change --author --message --password --username --progress --ansi --parallel',
    hasShortHelp: true,
    subs: {
      // -f, -v, -t and -a are flags.
      rm: '-t --time',
      rmi: '',
      system: '--filter',
      volume: '--filter --format --driver --opt --label',
      network: '--filter --format --driver --subnet --gateway',
      image: '--filter --format',
      container: '--filter --format --signal -s',
      builder: '--filter --keep-storage',
      buildx:
        '--filter --keep-storage --builder -f --file -t --tag --platform --build-arg --target -o --output --cache-from --cache-to',
      compose:
        '-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress --rmi --timeout --scale --index -t --tail',
      stack: '-c --compose-file --orchestrator',
      swarm: '--advertise-addr --listen-addr --token',
      images: '-f --filter --format',
      ps: '-f --filter --format -n --last',
      kill: '-s --signal',
      stop: '-t --time -s --signal',
      pod: '-n --name -p --publish -t --time --filter',
      machine: '--cpus --memory --disk-size',
      secret: '-l --label -f --filter',
      service: '-f --filter --image --replicas',
      node: '-f --filter',
      config: '-l --label',
      context: '--docker --description',
      rename: '',
    },
  },
  {
    programs: 'docker-compose podman-compose',
    values:
      '-f --file -p --project-name --profile --env-file --project-directory --ansi --context -H --host --parallel',
    hasShortHelp: true,
    subs: {
      down: '--rmi --timeout',
      rm: '',
      up: '-t --timeout --scale',
      exec: '-e -u -w --env --user --workdir --index',
      run: '-e -u -w -v -p --env --user --workdir --volume --publish --name --entrypoint --label -l',
      logs: '--tail --since --until',
    },
  },
  {
    programs: 'kubectl oc k3s microk8s',
    values:
      '-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --as-uid --certificate-authority --client-certificate --client-key --request-timeout --tls-server-name --cache-dir -f --filename -l --selector -o --output --field-selector -k --kustomize -c --container -p --patch --type --grace-period --timeout --image --replicas --to-revision --template --sort-by --tail --since --since-time --pod-selector --cascade --field-manager --port --target-port --name --overrides --env --limits --requests --schedule --raw --subresource --for',
    dry: '--dry-run',
    hasShortHelp: true,
  },
  {
    programs: 'helm',
    values:
      '-n --namespace --kube-context --kubeconfig --kube-apiserver --kube-token --kube-as-user --registry-config --repository-cache --repository-config --burst-limit -f --values --set --set-string --set-file --set-json --version --timeout --repo --username --password --description --history-max --revision -o --output --post-renderer --keyring --cascade',
    dry: '--dry-run',
    hasShortHelp: true,
  },
  {
    programs: 'helmfile',
    values:
      '-e --environment -f --file -l --selector -n --namespace --kube-context --state-values-file --state-values-set --helm-binary --args --chart',
    hasShortHelp: true,
  },
  {
    programs: 'argocd flux istioctl linkerd velero kustomize kops eksctl k3d kind minikube',
    values:
      '-n --namespace --context --kubeconfig --kube-context --server --auth-token --name --region --cluster --profile -f --config-file --state -p --selector -l -o --output --revision --from-schedule --ttl --wait-interval',
    dry: '--dry-run',
    hasShortHelp: true,
  },
  {
    programs: 'terraform tofu terragrunt',
    values:
      '--chdir --var --var-file --target --backend-config --state --state-out --lock-timeout --parallelism --out --generate-config-out --replace --backup --terragrunt-working-dir --terragrunt-config --working-dir',
    isDashLong: true,
    hasShortHelp: true,
  },
  {
    programs: 'pulumi',
    values:
      '-s --stack -C --cwd --color -v --target --message -m --config -c --parallel -p --config-file --replace --target-replace --profiling --tracing',
    dry: '--preview-only',
    hasShortHelp: true,
  },
  {
    programs: 'cdk cdktf sst serverless sls sam copilot amplify eb',
    values:
      '-a --app -c --context --profile --region --stage -s --toolkit-stack-name --role-arn -r --output -o --config --stack-name --s3-bucket --template-file -t --parameter-overrides --env -e --name -n',
    hasShortHelp: true,
  },
  {
    programs: 'ansible ansible-playbook',
    values:
      '-i -e -l -u -m -a -f -t -M -T -c -B -P --inventory --extra-vars --limit --user --module-name --args --forks --tags --skip-tags --vault-password-file --private-key --become-user --become-method --connection --timeout --start-at-task --vault-id',
    dry: '--check -C --syntax-check --list-tasks --list-hosts',
  },
  {
    programs: 'aws awslocal',
    values:
      '--profile --region --output --query --endpoint-url --color --ca-bundle --cli-read-timeout --cli-connect-timeout --cli-binary-format --exclude --include --acl --storage-class --filters --cli-input-json',
    dry: '--dryrun --dry-run',
  },
  {
    programs: 'gcloud',
    values:
      '--project --account --format --filter --configuration --impersonate-service-account --verbosity --billing-project --zone --region --location --access-token-file --flags-file --sort-by --limit --keyring --cluster --database --instance --dataset --service --version',
  },
  { programs: 'gsutil', values: '-h -o -i -u -D' },
  {
    programs: 'bq',
    values: '--project_id --dataset_id --location --format --job_id --api --max_rows -n',
    dry: '--dry_run',
  },
  {
    programs: 'az',
    values:
      '-n -g -o --name --resource-group --subscription --output --query --ids --account-name --vault-name --location -l --container-name -c --file-path --server --cluster-name --account-key --connection-string --sas-token --source -s --pattern',
    hasShortHelp: true,
  },
  { programs: 'azcopy', values: '--log-level --include-pattern --exclude-pattern --from-to' },
  {
    programs: 'doctl linode-cli hcloud vultr-cli vultr scw exo ibmcloud oci openstack nova civo upctl metal',
    values:
      '-t --access-token --context --config -c --output -o --format --profile --region --compartment-id -q --query --project --zone --label -l --os-cloud',
    hasShortHelp: true,
  },
  { programs: 'heroku', values: '-a --app -r --remote -t --team -p --pipeline --confirm -c -s', hasShortHelp: true },
  { programs: 'fly flyctl', values: '-a --app -c --config -o --org -r --region -t --access-token', hasShortHelp: true },
  {
    programs: 'vercel vc now',
    values: '-t --token -S --scope -A --local-config -Q --global-config --cwd -e --env -b --build-env -m --meta',
    hasShortHelp: true,
  },
  {
    programs: 'netlify ntl',
    values: '-s --site --site-id --auth --filter -d --dir -m --message --alias -f --functions',
    hasShortHelp: true,
  },
  {
    programs: 'wrangler',
    values:
      '-c --config -e --env --cwd --name --zone-id --record-id --namespace-id --binding --account-id --command --file --bucket',
    dry: '--dry-run',
    hasShortHelp: true,
  },
  {
    programs: 'gh',
    values:
      '-R --repo -X --method -H --header -f --raw-field -F --field -t --title -b --body --body-file --jq -q --template -L --limit -l --label -a --assignee -m --milestone -p --project -o --org -e --env -u --user --hostname --input -B --base --head -r --reviewer --json --notes -n --notes-file --target --app -c --comment --reason --ref',
    hasShortHelp: true,
  },
  {
    programs: 'glab',
    values:
      '-R --repo -g --group -X --method -H --header -f --raw-field -F --field -t --title -d --description -l --label -a --assignee -m --milestone -b --branch --ref -s --scope',
    hasShortHelp: true,
  },
  {
    programs: 'psql',
    values:
      '-c -d -f -h -p -U -v -o -F -R -T -P -L --command --dbname --file --host --port --username --set --variable --output --field-separator --record-separator --table-attr --pset --log-file',
    dry: '',
  },
  {
    programs: 'mysql mariadb mycli',
    values:
      '-e -h -P -u -D -S --execute --host --port --user --database --socket --init-command --default-character-set --protocol --defaults-file --ssl-ca',
    dry: '',
  },
  { programs: 'mysqladmin', values: '-h -P -u -S --host --port --user --socket --defaults-file', dry: '' },
  {
    programs: 'pgcli usql duckdb cockroach snowsql sqlcmd sqlplus isql trino presto cqlsh snow tsql',
    values:
      '-c -q -Q -e -d -h -p -P -U -u -S -f -i -o --query --execute --command --host --port --user --password --database --file --url --server',
    dry: '',
  },
  {
    programs: 'clickhouse-client clickhouse',
    values: '-h -q -u -d --host --port --user --password --database --query --queries-file',
    dry: '',
  },
  {
    programs: 'sqlite3 sqlite',
    values: '--cmd --init --separator --newline --nullvalue --vfs --maxsize --mmap',
    isDashLong: true,
    dry: '',
  },
  {
    programs: 'mongosh mongo',
    values:
      '--eval -f --file --host --port -u --username -p --password --authenticationDatabase --authenticationMechanism',
    dry: '',
  },
  {
    programs: 'redis-cli valkey-cli keydb-cli',
    values: '-h -p -a -n -u -s -r -i -d -D --user --pass --pattern --cacert --cert --key --sni --tls-ciphers --eval',
    isStoppedByOperand: true,
    dry: '',
  },
  {
    programs: 'dropdb createdb pg_restore pg_dump',
    values:
      '-h -p -U -d -f -n -t -T -F -j -Z -S --host --port --username --dbname --file --maintenance-db --schema --table --jobs --format',
    dry: '',
  },
  { programs: 'find gfind fd bfs', values: '', isDashLong: true, dry: '' },
  {
    programs: 'npm pnpm yarn bun npx bunx',
    values:
      '-w --workspace --prefix -C --dir --cwd --registry --otp --tag --access -F --filter --loglevel --userconfig -p --package -c --call --cache',
    dry: '--dry-run',
    hasShortHelp: true,
  },
  {
    programs: 'pip pip3 pipx uv poetry',
    values:
      '-r -c -i -t -e -f -d --requirement --constraint --index-url --extra-index-url --target --editable --find-links --prefix --root --python -p --with --from --group -G --directory --project --token --repository',
    hasShortHelp: true,
  },
  {
    programs: 'cargo',
    values:
      '--manifest-path --target --target-dir --features -p --package -j --jobs --bin --example --test --bench --profile --color --config -Z --git --branch --tag --rev --version --vers --token --registry --index -C',
    dry: '-n --dry-run',
    hasShortHelp: true,
  },
  {
    programs: 'apt apt-get aptitude apk',
    values: '-o -c -t --option --target-release --root --repo',
    dry: '--dry-run -s --simulate --just-print --download-only --no-act',
    hasShortHelp: true,
  },
  {
    programs: 'dpkg yum dnf zypper pacman brew port snap flatpak rpm emerge',
    values: '--root --repo --enablerepo --disablerepo',
    dry: '--dry-run --simulate --no-act --assumeno --print --pretend --test',
    hasShortHelp: true,
  },
  { programs: 'shutdown halt reboot poweroff init', values: '' },
  { programs: 'migrate', values: '--path --database --source', isDashLong: true },
  {
    programs: 'make gmake ninja just task',
    values: '-C -f -j -I -o -W -l --directory --file --makefile --jobs --include-dir --old-file',
    dry: '-n --dry-run --just-print --recon -q --question',
  },
  {
    programs: 'systemctl service',
    values: '-t --type -p --property -H --host -M --machine -n --lines -o --output -s --signal --state --root',
    hasShortHelp: true,
  },
  { programs: 'kill pkill killall', values: '-s --signal -n -u -U -g -G -P -t --older --younger --ns', dry: '' },
  {
    programs: 'useradd userdel usermod groupdel groupadd passwd',
    values:
      '-g -G -d -s -u -c -e -f -k -p -R -P --gid --groups --home --shell --uid --comment --expiredate --inactive --root --prefix',
  },
  {
    programs: 'iptables ip6tables nft ufw firewall-cmd',
    values:
      '-t -s -d -p -i -o -m --table --source --destination --protocol --in-interface --out-interface --match --dport --sport --zone',
    dry: '-c --check --dry-run',
  },
  { programs: 'crontab', values: '-u' },
  {
    programs: 'sfdisk',
    values: '-N --partno -L --label -o --output',
    dry: '-n --no-act -l --list -d --dump -J --json -s --show-size -V --verify -F --list-free',
    hasShortHelp: true,
  },
  { programs: 'parted', values: '-a --align', dry: '-l --list', hasShortHelp: true },
  { programs: 'wipefs', values: '-o -t -O --offset --types --output', dry: '-n --no-act', hasShortHelp: true },
  {
    programs: 'fdisk gdisk sgdisk blkdiscard hdparm cfdisk',
    values: '-b -u --offset --step --length --sector-size',
    dry: '--no-act -l --list --pretend -p --print -P',
  },
  {
    programs: 'lvremove vgremove pvremove lvreduce lvconvert lvresize vgreduce lvm',
    values:
      '--reportformat --config --devices --devicesfile --profile --driverloaded -L --size -l --extents --select -S',
    dry: '-t --test',
    hasShortHelp: true,
  },
  { programs: 'zfs zpool btrfs', values: '-o -O -t', dry: '-n' },
  {
    programs: 'cryptsetup',
    values: '-c -s -h -l -S --cipher --key-size --hash --key-file --key-slot --type',
    dry: '--test-passphrase',
  },
  { programs: 'mdadm', values: '-c --config -n -l --level --raid-devices' },
  {
    programs: 'vault',
    values:
      '--address --ca-cert --client-cert --client-key --namespace --format --field --mount --versions --method --path --wrap-ttl --header',
    isDashLong: true,
  },
  {
    programs: 'consul nomad packer boundary waypoint',
    values: '--address --http-addr --token --namespace --region --datacenter --format --filter',
    isDashLong: true,
  },
  {
    programs: 'op doppler infisical chamber sops',
    values: '--vault --account --session --format --project --config -p -c --token --env --path -e',
    hasShortHelp: true,
  },
  {
    programs: 'rclone',
    values:
      '--config --transfers --checkers --bwlimit --include --exclude --filter --min-age --max-age --log-file --log-level --backup-dir --suffix',
    dry: '-n --dry-run',
    hasShortHelp: true,
  },
  {
    programs: 'restic borg duplicity kopia',
    values:
      '-r --repo --repository-file -p --password-file --password-command --tag --host -H --path --keep-last --keep-hourly --keep-daily --keep-weekly --keep-monthly --keep-yearly --keep-within --prefix -a --glob-archives -P --max-unused --rsh --remote-path --mode --cache-dir',
    dry: '-n --dry-run',
    hasShortHelp: true,
  },
  {
    programs: 's3cmd s5cmd mc b2 swift',
    values:
      '-c --config --access_key --secret_key --region --host --profile --endpoint-url --config-dir -C --older-than --newer-than --versions',
    dry: '-n --dry-run --fake',
  },
  {
    programs:
      'kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs kafka-configs.sh kafka-acls kafka-acls.sh kafka-delete-records kafka-delete-records.sh kafka-streams-application-reset',
    values:
      '--bootstrap-server --zookeeper --topic --group --command-config --entity-type --entity-name --partitions --replication-factor --config --offset-json-file --application-id',
    dry: '--dry-run',
  },
  {
    programs: 'rabbitmqctl rabbitmqadmin',
    values: '-n -p --node --vhost --timeout -t -H -P -u --host --port --username --password -f --format',
  },
  { programs: 'nats', values: '-s --server --user --password --creds --nkey --context --timeout' },
  {
    programs: 'stripe',
    values: '--api-key --project-name --stripe-account --confirm -d --data -e --expand --color --device-name',
    hasShortHelp: true,
  },
  {
    programs: 'firebase',
    values: '-P --project --account --token --only --except -m --message --config',
    hasShortHelp: true,
  },
  {
    programs: 'supabase',
    values: '--project-ref --workdir --db-url --password -p --profile --env-file',
    hasShortHelp: true,
  },
  { programs: 'java', values: '-cp -classpath -jar --class-path --module-path', dry: '' },
  { programs: 'php', values: '-r -f -d -c -z -B -R -F -E -t -S', dry: '' },
  { programs: 'su runuser', values: '-c -s -g -G -w --command --shell --group', dry: '' },
  { programs: 'mount umount fsck swapoff losetup', values: '-t -o -L -U -O --types --options', dry: '-f --fake -n' },
  { programs: 'dscl security', values: '-s -a -l -k -t -D -P', dry: '' },
  {
    programs: 'sh bash zsh dash ksh fish ash mksh',
    values: '-c -o -O --init-file --rcfile',
    dry: '-n',
    isStoppedByOperand: true,
  },
  {
    programs: 'python python2 python3 node nodejs deno ruby perl',
    values: '-c -e -m -W -X -r -I -E -p --eval --print --require --import',
    dry: '',
    isStoppedByOperand: true,
  },
  { programs: 'arc', values: '--profile --home --cwd --tool --for --reason', hasShortHelp: true },
]

const NONE: ReadonlySet<string> = new Set()
const PLAIN: Grammar = { values: NONE, everywhere: NONE, dry: words(DRY), hasShortHelp: true }

const GRAMMARS = new Map<string, Grammar>()
for (const row of ROWS) for (const program of words(row.programs)) GRAMMARS.set(program, compile(row))

/** How this program reads its arguments. */
export function findGrammar(program: string): Grammar {
  return GRAMMARS.get(program) ?? PLAIN
}

function compile(row: Row): Grammar {
  const values = new Set(words(row.values ?? ''))
  const subs =
    row.subs === undefined
      ? undefined
      : new Map(Object.entries(row.subs).map(([sub, options]) => [sub, new Set(words(options))]))
  return {
    values,
    everywhere: subs === undefined ? values : new Set([...values].filter((name) => name.startsWith('--'))),
    subs,
    abbreviates: row.abbreviates,
    isDashLong: row.isDashLong,
    isStoppedByOperand: row.isStoppedByOperand,
    hasShortHelp: row.hasShortHelp,
    dry: words(row.dry ?? DRY),
  }
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}

#!/bin/sh
# Replaces the replicas of compose.replicas.yaml one after another, while the other one serves, then the builder. The tag names the
# new image; it is built from this repository if it does not exist. To go back: upgrade.sh with the previous tag.
set -eu
cd "$(dirname "$0")"
if [ $# -ne 1 ]; then
  echo "usage: $0 TAG" >&2
  exit 2
fi
export IMAGE_TAG="$1" COMPOSE_FILE=compose.replicas.yaml
docker image inspect "whence:$IMAGE_TAG" > /dev/null 2>&1 || docker compose build whence-1

for replica in whence-1 whence-2; do
  docker compose up -d --no-deps "$replica"
  # The first replica of a version migrates the schema, up to 10 minutes for a large table.
  tries=0
  until docker compose exec -T "$replica" node /opt/whence/healthy.mjs /readyz; do
    tries=$((tries + 1))
    if [ "$tries" -ge 660 ]; then
      echo "$replica is not ready. The other replicas were not replaced. See: docker compose logs $replica" >&2
      exit 1
    fi
    sleep 1
  done
  # Caddy notices within 4 s. The next replica still serves for WHENCE_SHUTDOWN_DELAY, 6 s, after it is told to stop.
done
# Last: a new release reads the dataset format of the release before, and not the other way round.
docker compose up -d --no-deps builder

# The next `docker compose up` must not bring the previous version back. The file keeps its owner and mode.
settings=$(grep -v '^IMAGE_TAG=' .env || true)
printf '%s\nIMAGE_TAG=%s\n' "$settings" "$IMAGE_TAG" > .env
echo "All replicas run whence:$IMAGE_TAG."

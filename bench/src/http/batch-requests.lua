-- wrk: POST /v1/ip/batch, bodies in rotation. Arguments: file with one body per line, file with the key.
local requests = {}
local turn = 0

function init(args)
  local key = io.lines(args[2])()
  local headers = { ['Content-Type'] = 'application/json', ['X-API-Key'] = key }
  for body in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format('POST', '/v1/ip/batch', headers, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

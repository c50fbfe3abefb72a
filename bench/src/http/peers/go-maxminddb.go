// Peer: a careful lookup service in Go: net/http, maxminddb-golang with typed records, encoding/json; no key, no
// counting. Argument: an export of our dataset. Prints its port.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/oschwald/maxminddb-golang"
)

type record struct {
	Country struct {
		ISOCode string `maxminddb:"iso_code" json:"iso_code"`
	} `maxminddb:"country" json:"country"`
	ASN            uint32 `maxminddb:"autonomous_system_number" json:"autonomous_system_number"`
	Organization   string `maxminddb:"autonomous_system_organization" json:"autonomous_system_organization"`
	RIR            string `maxminddb:"rir" json:"rir"`
	ConnectionType string `maxminddb:"connection_type" json:"connection_type"`
	Detection      struct {
		IsDatacenter  bool   `maxminddb:"is_datacenter" json:"is_datacenter"`
		IsTorExit     bool   `maxminddb:"is_tor_exit" json:"is_tor_exit"`
		IsProxy       bool   `maxminddb:"is_proxy" json:"is_proxy"`
		IsVPN         bool   `maxminddb:"is_vpn" json:"is_vpn"`
		IsResidential bool   `maxminddb:"is_residential" json:"is_residential"`
		IsMobile      bool   `maxminddb:"is_mobile" json:"is_mobile"`
		IsAICrawler   bool   `maxminddb:"is_ai_crawler" json:"is_ai_crawler"`
		AICompany     string `maxminddb:"ai_company" json:"ai_company,omitempty"`
		CloudProvider string `maxminddb:"cloud_provider" json:"cloud_provider,omitempty"`
	} `maxminddb:"detection" json:"detection"`
	Threat struct {
		Score uint16 `maxminddb:"score" json:"score"`
		Level string `maxminddb:"level" json:"level"`
	} `maxminddb:"threat" json:"threat"`
}

type answer struct {
	IP     string `json:"ip"`
	Prefix string `json:"prefix"`
	record
}

func main() {
	reader, err := maxminddb.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/v1/ip/", func(w http.ResponseWriter, r *http.Request) {
		text := strings.TrimPrefix(r.URL.Path, "/v1/ip/")
		ip := net.ParseIP(text)
		if ip == nil {
			http.Error(w, `{"error":"invalid IP address"}`, http.StatusBadRequest)
			return
		}
		found := answer{IP: text}
		network, ok, err := reader.LookupNetwork(ip, &found.record)
		if err != nil || !ok {
			http.Error(w, `{"error":"no data found for IP"}`, http.StatusNotFound)
			return
		}
		found.Prefix = network.String()
		body, err := json.Marshal(&found)
		if err != nil {
			http.Error(w, `{"error":"internal"}`, http.StatusInternalServerError)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "application/json; charset=utf-8")
		header.Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

# A receiver of mail: signs and sends scripted messages to itself, verifies them with Mail::SPF, Mail::DKIM and Mail::DMARC,
# and writes the aggregate report of each day as Mail::DMARC does. The script is JSON on standard input.
use strict;
use warnings;
use JSON::PP;
use Mail::DKIM::DNS;
use Mail::DKIM::PrivateKey;
use Mail::DKIM::Signer;
use Mail::DKIM::Verifier;
use Mail::DMARC::PurePerl;
use Mail::SPF;
use Net::DNS::Resolver;

my $script = decode_json(do { local $/; <STDIN> });
my $resolver = Net::DNS::Resolver->new(nameservers => ['127.0.0.1'], port => $script->{dns_port}, dnsrch => 0);
Mail::DKIM::DNS::resolver($resolver);
# Without waiting for the disk after each statement.
my $store = Mail::DMARC::Report->new->store;
$store->backend->db_connect->query('pragma synchronous = off');
my $key = Mail::DKIM::PrivateKey->load(File => $script->{key_file});

for my $day (@{ $script->{days} }) {
    $Mail::DMARC::Base::_fake_time = $day;
    receive($_, $_->{message} // message($day, $_)) for map { ($_) x $_->{count} } @{ $script->{mail} };
}
$Mail::DMARC::Base::_fake_time = time + 86_400;
write_report($_) for @{ $store->backend->retrieve_todo };

sub message {
    my ($day, $mail) = @_;
    my $text = "From: a\@$mail->{from}\r\nTo: b\@receiver.example\r\nSubject: $day\r\n\r\nHello.\r\n";
    $text = signature($text, $_) . $text for @{ $mail->{signers} };
    $text .= "-- \r\nThe list\r\n" if $mail->{is_altered};
    return $mail->{message} = $text;
}

sub signature {
    my ($text, $signer) = @_;
    my ($selector, $domain) = split /@/, $signer;
    my $dkim = Mail::DKIM::Signer->new(
        Algorithm => 'rsa-sha256', Method => 'relaxed/relaxed', Domain => $domain, Selector => $selector, Key => $key);
    $dkim->PRINT($text);
    $dkim->CLOSE;
    return $dkim->signature->as_string . "\r\n";
}

sub receive {
    my ($mail, $text) = @_;
    my $dkim = Mail::DKIM::Verifier->new;
    $dkim->PRINT($text);
    $dkim->CLOSE;
    my $spf = Mail::SPF::Server->new(dns_resolver => $resolver)->process(Mail::SPF::Request->new(
        scope => 'mfrom', identity => "a\@$mail->{envelope}", ip_address => $mail->{address}));
    my $dmarc = Mail::DMARC::PurePerl->new(
        source_ip => $mail->{address}, envelope_from => $mail->{envelope}, header_from => $mail->{from});
    $dmarc->set_resolver($resolver);
    $dmarc->report->{store} = $store;
    $dmarc->dkim($dkim);
    $dmarc->spf(domain => $mail->{envelope}, scope => 'mfrom', result => $spf->code);
    $dmarc->validate;
    $dmarc->result->reason(type => $mail->{reason}, comment => '') if $mail->{reason};
    $dmarc->save_aggregate;
}

sub write_report {
    my ($aggregate) = @_;
    my $report = Mail::DMARC::Report->new;
    my $xml = $aggregate->as_xml;
    my $packed = $report->compress(\$xml);
    my $name = $report->sendit->smtp->get_filename(\$aggregate);
    save("$name.gz", $packed);
    my $text = $report->sendit->smtp->assemble_message_object(\$aggregate, 'd@' . $script->{domain}, $packed)->as_string;
    $text =~ s/\r?\n/\r\n/g;
    save("$name.eml", signature($text, $script->{reporter}) . $text);
}

sub save {
    my ($name, $content) = @_;
    my ($ending) = $name =~ /(\w+)$/;
    open my $file, '>:raw', "$script->{folder}/$ending/$name" or die "$name: $!";
    print $file $content;
    close $file;
}

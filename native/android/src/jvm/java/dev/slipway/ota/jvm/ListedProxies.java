package dev.slipway.ota.jvm;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** A list of proxies as a phone's settings name it, by the property {@code slipway.proxies}. */
final class ListedProxies extends ProxySelector {
    private final List<Proxy> proxies = new ArrayList<>();

    private ListedProxies(String list) {
        for (String named : list.split(";")) {
            int colon = named.indexOf(':');
            if (colon < 0) {
                proxies.add(Proxy.NO_PROXY); // DIRECT
            } else {
                proxies.add(new Proxy(
                        Proxy.Type.HTTP,
                        InetSocketAddress.createUnresolved(
                                named.substring(0, colon), Integer.parseInt(named.substring(colon + 1)))));
            }
        }
    }

    static void useIfNamed() {
        String list = System.getProperty("slipway.proxies");
        if (list != null) ProxySelector.setDefault(new ListedProxies(list));
    }

    @Override
    public List<Proxy> select(URI asked) {
        return proxies;
    }

    @Override
    public void connectFailed(URI asked, SocketAddress proxy, IOException thrown) {}
}

package com.example.game;

import com.getcapacitor.BridgeActivity;

/** As {@code cap add} writes it. */
public class MainActivity extends BridgeActivity {}

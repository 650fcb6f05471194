package com.example.game;

import com.getcapacitor.BridgeActivity;

/** The activity as {@code cap add} writes it. */
public class MainActivity extends BridgeActivity {}

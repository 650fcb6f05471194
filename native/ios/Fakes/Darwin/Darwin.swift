// That there is such a module has the sources take the way of Apple's systems; what they call there is
// in ../Phone/Darwin.swift, where they are compiled.

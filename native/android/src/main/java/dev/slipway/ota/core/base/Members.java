package dev.slipway.ota.core.base;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The members of an object in the order in which JavaScript keeps them: keys that are array indexes
 * first, by number, then the others as they came. So every language tells the first of several wrong
 * members alike, and writes the same text.
 */
public final class Members<T> extends AbstractMap<String, T> {
    private final LinkedHashMap<String, T> names;
    private final TreeMap<Long, T> indexes; // of array indexes, which are rare

    public Members() {
        names = new LinkedHashMap<>();
        indexes = new TreeMap<>();
    }

    /** A copy. */
    public Members(Map<String, ? extends T> other) {
        this();
        putAll(other);
    }

    /** A copy with one more member, or with another value of it. */
    public Members<T> with(String key, T value) {
        Members<T> copy = new Members<>(this);
        copy.put(key, value);
        return copy;
    }

    /** A copy that lacks a member. */
    public Members<T> without(String key) {
        Members<T> copy = new Members<>(this);
        copy.remove(key);
        return copy;
    }

    @Override
    public @Nullable T get(Object key) {
        Long index = indexOf(key);
        return index == null ? names.get(key) : indexes.get(index);
    }

    @Override
    public boolean containsKey(Object key) {
        Long index = indexOf(key);
        return index == null ? names.containsKey(key) : indexes.containsKey(index);
    }

    @Override
    public @Nullable T put(String key, T value) {
        Long index = indexOf(key);
        return index == null ? names.put(key, value) : indexes.put(index, value);
    }

    @Override
    public @Nullable T remove(Object key) {
        Long index = indexOf(key);
        return index == null ? names.remove(key) : indexes.remove(index);
    }

    @Override
    public int size() {
        return names.size() + indexes.size();
    }

    @Override
    public Set<Entry<String, T>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<String, T>> iterator() {
                return new InOrder();
            }

            @Override
            public int size() {
                return Members.this.size();
            }
        };
    }

    private final class InOrder implements Iterator<Entry<String, T>> {
        private final Iterator<Entry<Long, T>> first = indexes.entrySet().iterator();
        private final Iterator<Entry<String, T>> then = names.entrySet().iterator();
        private @Nullable Iterator<?> last;

        @Override
        public boolean hasNext() {
            return first.hasNext() || then.hasNext();
        }

        @Override
        public Entry<String, T> next() {
            if (!hasNext()) throw new NoSuchElementException();
            last = first.hasNext() ? first : then;
            if (last == then) return then.next();
            Entry<Long, T> entry = first.next();
            return new SimpleImmutableEntry<>(entry.getKey().toString(), entry.getValue());
        }

        @Override
        public void remove() {
            if (last == null) throw new IllegalStateException();
            last.remove();
        }
    }

    private static final long LAST_INDEX = 4294967294L; // ECMA-262 §6.1.7

    private static @Nullable Long indexOf(Object key) {
        String text = (String) key;
        if (text.isEmpty() || text.length() > 10 || (text.charAt(0) == '0' && text.length() > 1)) return null;
        long index = 0;
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') return null;
            index = index * 10 + digit - '0';
        }
        return index <= LAST_INDEX ? index : null;
    }
}

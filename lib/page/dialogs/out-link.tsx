/** A link that leaves the page; empty if the URL is not a web address. */
export function OutLink({ url }: { readonly url: string }) {
  if (!/^https?:\/\//.test(url)) return null;
  return (
    <a class="out" href={url} target="_blank" rel="noopener noreferrer">
      <bdi>{url}</bdi>
    </a>
  );
}

// A page that is opened from a folder may not start a worker. Its search then runs in a hidden frame.
if (location.protocol === "file:")
    window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            const frame = document.createElement("iframe");
            frame.hidden = true;
            document.body.append(frame);
            const script = frame.contentDocument.createElement("script");
            this.inner = frame.contentWindow;
            this.inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
            this.loaded = new Promise(done => script.onload = done);
            script.src = url;
            frame.contentDocument.head.append(script);
        }
        postMessage(data) {
            this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", {data})));
        }
    };

import Foundation
import VitrineFiles
import VitrineScene

extension ReportPage {
    /// As a JPEG inside the page.
    static func image(_ image: Image, alt: String) -> String {
        guard let bytes = try? ImageFile.encode(image, as: .jpeg(quality: 85)) else { return "" }
        return "<img alt=\"\(escaped(alt))\" src=\"data:image/jpeg;base64,\(Data(bytes).base64EncodedString())\">"
    }

    /// How a stored picture is turned for viewing.
    static func turn(_ orientation: Int) -> String {
        switch orientation {
        case 2: "transform:scaleX(-1)"
        case 3: "transform:rotate(180deg)"
        case 4: "transform:scaleY(-1)"
        case 5: "transform:rotate(90deg) scaleY(-1)"
        case 6: "transform:rotate(90deg)"
        case 7: "transform:rotate(-90deg) scaleY(-1)"
        case 8: "transform:rotate(-90deg)"
        default: ""
        }
    }

    static func duration(_ seconds: Double) -> String {
        if seconds < 10 { return String(format: "%.1f s", seconds) }
        let whole = Int(seconds.rounded())
        return whole < 120 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }

    static func bytes(_ count: Int) -> String {
        count < 1_000_000_000 ? "\(Int((Double(count) / 1e6).rounded())) MB" : String(format: "%.2f GB", Double(count) / 1e9)
    }

    func grouped(_ number: Int) -> String {
        var text = String(number)
        var place = text.count - 3
        while place > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
            place -= 3
        }
        return text
    }
}

enum ReportStyle {
    static let css = """
        :root{--ink:#1d2026;--soft:#667085;--line:#e3e6ea;--paper:#fbfaf8;--card:#fff;--accent:#2f6f62;--accent2:#7fb3a5;--warn:#b4552d;--bad:#a3283a}
        *{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 ui-sans-serif,system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-variant-numeric:tabular-nums}
        header,main,footer{max-width:1180px;margin:0 auto;padding:0 28px}header{padding-top:44px}
        h1{font-size:40px;line-height:1.1;margin:0;letter-spacing:-.02em;overflow-wrap:anywhere}h2{font-size:22px;margin:0 0 12px;letter-spacing:-.01em}h3{font-size:16px;margin:18px 0 6px}
        .lead{font-size:19px;color:var(--soft);margin:8px 0 22px}
        .hero{display:grid;grid-template-columns:repeat(auto-fit,minmax(230px,1fr));gap:10px;margin-bottom:22px}
        figure{margin:0}figcaption{font-size:13px;color:var(--soft);padding-top:6px}
        .hero img,.clouds img{width:100%;display:block;border-radius:10px}
        .chips{display:flex;flex-wrap:wrap;gap:10px;margin:0 0 10px}.chips div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:9px 15px}
        .chips dt{font-size:12px;color:var(--soft)}.chips dd{margin:0;font-size:19px;font-weight:600}
        section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:24px 26px;margin:20px 0}
        .advice{border-left:5px solid var(--accent)}.advice ul{margin:0;padding-left:20px}.advice li{margin:5px 0}.warnings li{color:var(--warn);font-size:14px}
        .plans{display:grid;grid-template-columns:repeat(auto-fit,minmax(290px,1fr));gap:20px}.plans svg{width:100%;height:auto;background:#f6f7f7;border-radius:10px}
        .clouds{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px}
        svg text{font:11px ui-sans-serif,system-ui,sans-serif;fill:var(--soft)}
        .cell{stroke:#fff;stroke-width:1}.cell0{fill:#fff;stroke:#d5d9de;stroke-dasharray:3 3}.cell1{fill:#dcebe6}.cell2{fill:#a9cfc3}.cell3{fill:#6ea898}
        .grid{fill:none;stroke:#9aa3ad;stroke-width:.8}.camera{fill:#17322c;stroke:#fff;stroke-width:1.2}
        .frustum{fill:rgba(47,111,98,.16);stroke:#2f6f62;stroke-width:.8;stroke-linejoin:round}.apex{fill:#17322c}.bounds{fill:none;stroke:#b4552d;stroke-width:1;stroke-dasharray:4 3}
        .sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(148px,1fr));gap:14px}
        .photo .frame{aspect-ratio:4/3;background:#eef0f1;border-radius:8px;overflow:hidden;display:flex;align-items:center;justify-content:center;border:3px solid transparent}
        .photo img{max-width:100%;max-height:100%;width:100%;height:100%;object-fit:contain}.photo.used .frame{border-color:var(--accent2)}
        .photo.dropped .frame{border-color:var(--warn)}.photo.invalid .frame{border-color:var(--bad)}.photo.dropped img{opacity:.6}
        .photo b{display:block;font-weight:600;color:var(--ink);overflow-wrap:anywhere}.photo span{display:block;line-height:1.3}
        .photo.dropped span{color:var(--warn)}.photo.invalid span{color:var(--bad)}.blank{color:var(--soft);font-size:13px}
        .meter{height:4px;background:#eef0f1;border-radius:2px;margin-top:5px;overflow:hidden}.meter i{display:block;height:100%;background:var(--accent2)}
        table{width:100%;border-collapse:collapse;font-size:14px}th{text-align:left;font-weight:500}thead th{color:var(--soft);font-size:12px;padding-bottom:4px}
        td,tbody th{padding:4px 10px 4px 0;border-top:1px solid var(--line)}tbody th{white-space:nowrap;max-width:240px;overflow:hidden;text-overflow:ellipsis}
        .bar{position:relative;min-width:170px}.bar i{position:absolute;left:0;top:5px;bottom:5px;background:#cfe3dc;border-radius:3px}.bar span{position:relative;padding-left:6px}.memory i{background:#e8ddcb}
        em{color:var(--soft);font-size:12px}summary{cursor:pointer;color:var(--soft);margin-bottom:8px}.facts th{width:180px;color:var(--soft)}.facts td{white-space:normal}
        footer{color:var(--soft);font-size:13px;padding-bottom:40px}
        @media print{section{break-inside:avoid}}
        """
}

import VitrineTracking

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Opens recordings of any supported layout, videos and live cameras. Detects the layout by the files in the directory, never by its name.
///
/// ```swift
/// let source = try SensorSourceFile.open(URL(filePath: "V1_01_easy"))
/// while let event = try await source.next() { … }
/// ```
public enum SensorSourceFile {
    /// The supported layouts and the files that identify them.
    public static var layouts: [(name: String, identifiedBy: String)] {
        [("Vitrine", RecordingHeader.fileName)] + importers.map { ($0.name, $0.pattern) } + [
            ("video", "a file that ffmpeg reads"), ("camera", "a device, as /dev/video0"),
        ]
    }

    /// An opened recording and its layout.
    package struct Opened {
        /// The source of the recording's events.
        package let source: any SensorSource
        /// The name of the layout: "Vitrine", "EuRoC".
        package let layout: String
    }

    /// Opens a recording, video or camera device.
    ///
    /// - Parameter options: Data that a video file or a live camera does not contain.
    /// - Throws: `SourceError.broken`: an unknown layout (lists the known ones), an unusable recording, or an option that does not apply to it.
    public static func open(_ url: URL, options: SensorSourceOptions = SensorSourceOptions()) throws(SourceError) -> any SensorSource {
        try opened(url, options: options).source
    }

    /// Opens a recording and returns its layout.
    package static func opened(_ url: URL, options: SensorSourceOptions = SensorSourceOptions()) throws(SourceError) -> Opened {
        guard FileManager.default.fileExists(atPath: url.path) else { throw .broken("\(url.path): no such file or directory") }
        guard ImportFiles.exists(url, ".") else {
            if isDevice(url) {
                try options.check(for: .camera, at: url)
                return Opened(
                    source: try CameraDevice(
                        url.path, second: options.secondDevice, camera: options.camera, inertial: options.inertialUnit), layout: "camera")
            }
            try options.check(for: .video, at: url)
            let recording = try VideoImporter.open(url, options)
            return Opened(source: try ImportedSource(recording), layout: recording.kind)
        }
        if ImportFiles.exists(url, RecordingHeader.fileName) {
            try options.check(for: .recording, at: url)
            return Opened(source: try RecordingSource(directory: url), layout: "Vitrine")
        }
        for importer in importers {
            if let recording = try importer.open(url) {
                try options.check(for: .recording, at: url)
                return Opened(source: try ImportedSource(recording), layout: recording.kind)
            }
        }
        let looked = layouts.map { "\($0.identifiedBy) (\($0.name))" }.joined(separator: ", ")
        throw .broken(
            "\(url.path): not a known recording: searched for \(looked)\(inside(url).map { ". Its folder '\($0)' may be one" } ?? "")"
        )
    }

    /// Whether a folder is a recording of any layout.
    package static func isRecording(_ url: URL) -> Bool {
        if ImportFiles.exists(url, RecordingHeader.fileName) { return true }
        return importers.contains { importer in
            // A damaged recording is one, too.
            do throws(SourceError) { return try importer.open(url) != nil } catch { return true }
        }
    }

    /// The subfolder with a recording: unpacked archives often have a folder around it.
    private static func inside(_ url: URL) -> String? {
        let marks = [RecordingHeader.fileName, EuRoCImporter.pattern, "rgb.txt", "odometry.csv", "keyframes/cameras", "cam0/camera.txt"]
        return ImportFiles(url).names(in: ".").prefix(100).first { name in
            marks.contains { ImportFiles.exists(url.appendingPathComponent(name), $0) }
        }
    }

    private static func isDevice(_ url: URL) -> Bool {
        var status = stat()
        return stat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
    }

    private struct Importer: Sendable {
        let name: String
        let pattern: String
        let open: @Sendable (URL) throws(SourceError) -> ImportedRecording?
    }

    private static let importers: [Importer] = [
        Importer(name: "EuRoC", pattern: EuRoCImporter.pattern, open: EuRoCImporter.open),
        Importer(name: "frames and imu.txt", pattern: FrameFolderImporter.pattern, open: FrameFolderImporter.open),
        Importer(name: "TUM RGB-D", pattern: TUMImporter.pattern, open: TUMImporter.open),
        Importer(name: "Stray Scanner", pattern: StrayScannerImporter.pattern, open: StrayScannerImporter.open),
        Importer(name: "Polycam", pattern: PolycamImporter.pattern, open: PolycamImporter.open),
    ]
}

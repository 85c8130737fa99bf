import Foundation
import Synchronization

/// Photos that could be read once and can't any more, from several threads.
final class PhotoFailures: Sendable {
    private let reasons = Mutex<[Int: String]>([:])

    /// In the order of the photos.
    var all: [(photo: Int, reason: String)] { reasons.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } } }

    /// What `work` gives; nil where it fails, which is remembered.
    func noting<Value>(_ photo: Int, _ work: () throws -> Value) -> Value? {
        do {
            return try work()
        } catch {
            reasons.withLock { $0[photo] = error.localizedDescription }
            return nil
        }
    }
}

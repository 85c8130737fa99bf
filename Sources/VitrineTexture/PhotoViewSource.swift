import VitrineVision

/// Photos that are loaded when they are needed, so that memory does not grow with their number.
///
/// The builder loads each photo at least twice, and as many at a time as it has threads.
package struct PhotoViewSource: Sendable {
    package let count: Int
    /// Called from several threads. The same index must give the same view each time; nil skips the photo.
    let load: @Sendable (Int) -> PhotoView?

    package init(count: Int, load: @escaping @Sendable (Int) -> PhotoView?) { (self.count, self.load) = (max(0, count), load) }

    /// Photos that are already in memory.
    package init(_ views: [PhotoView]) { self.init(count: views.count) { views[$0] } }
}

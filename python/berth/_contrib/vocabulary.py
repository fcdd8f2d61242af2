"""vocabulary.py - tf.contrib.learn.preprocessing: texts as rows of numbers, by the words that they have."""

from __future__ import annotations

import collections
import pickle
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yields the words of each text."""
    for text in iterator:
        yield _WORDS.findall(text)


class CategoricalVocabulary:
    """Words and their numbers; 0 is for what is not known."""

    def __init__(self, unknown_token: str = '<UNK>', support_reverse: bool = True) -> None:
        self._unknown, self._reverses = unknown_token, support_reverse
        self._numbers: dict[Any, int] = {unknown_token: 0}
        self._words: list[Any] = [unknown_token]
        self._counts: collections.Counter[Any] = collections.Counter()
        self._is_frozen = False

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def _mapping(self) -> dict[Any, int]:
        return self._numbers

    def freeze(self, freeze: bool = True) -> None:
        """Says whether words that are not known stay so."""
        self._is_frozen = freeze

    def get(self, category: Any) -> int:
        """Returns the number of a word, which gets one unless the vocabulary is frozen."""
        if category not in self._numbers:
            if self._is_frozen:
                return 0
            self._numbers[category] = len(self._numbers)
            self._words.append(category)
        return self._numbers[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a word."""
        if self.get(category) > 0:
            self._counts[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Forgets words that are rarer, or more frequent, and numbers the others by how frequent they are."""
        ordered = sorted(sorted(self._counts.items(), key=lambda item: (isinstance(item[0], str), item[0])),
                         key=lambda item: item[1], reverse=True)
        kept = [word for word, count in ordered
                if count > min_frequency and (max_frequency <= 0 or count < max_frequency)]
        self._words = [self._unknown, *kept]
        self._numbers = {word: number for number, word in enumerate(self._words)}
        self._counts = collections.Counter({word: self._counts[word] for word in kept})

    def reverse(self, class_id: int) -> Any:
        """Returns the word of a number."""
        if not self._reverses:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._words[class_id]


class VocabularyProcessor:
    """Makes rows of numbers of texts."""

    def __init__(self, max_document_length: int, min_frequency: int = 0, vocabulary: Any = None,
                 tokenizer_fn: Any = None) -> None:
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> 'VocabularyProcessor':
        """Learns the words of texts."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Any, unused_y: Any = None) -> Iterator[Any]:
        """Learns the words of texts, and yields their rows."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[Any]:
        """Yields the rows of texts, which end with zeros where a text does."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for place, word in enumerate(words[:self.max_document_length]):
                row[place] = self.vocabulary_.get(word)
            yield row

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """Yields the texts of rows."""
        for row in documents:
            yield ' '.join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str) -> None:
        """Writes it to a file."""
        with open(filename, 'wb') as file:
            pickle.dump(self, file)

    @classmethod
    def restore(cls, filename: str) -> 'VocabularyProcessor':
        """Returns what save() has written."""
        with open(filename, 'rb') as file:
            return pickle.load(file)


class ByteProcessor:
    """Makes rows of bytes of documents, cut or filled up with zeros to one length."""

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> 'ByteProcessor':
        """Does nothing: bytes need no vocabulary."""
        return self

    def fit_transform(self, x: Any) -> Iterator[Any]:
        """The same as transform()."""
        return self.transform(x)

    def reverse(self, x: Any) -> Iterator[str]:
        """Gives the texts of rows of bytes, without the zeros at their ends."""
        for row in x:
            yield bytes(row).rstrip(b'\0').decode('utf-8', errors='replace')

    def transform(self, x: Any) -> Iterator[Any]:
        """Gives a row of bytes for each document."""
        for document in x:
            text = document.encode('utf-8') if isinstance(document, str) else bytes(document)
            row = np.zeros(self.max_document_length, np.uint8)
            part = np.frombuffer(text[:self.max_document_length], np.uint8)
            row[:len(part)] = part
            yield row
